/** Rules of this repository's own for oxlint. */

const HOOKS = ['beforeAll', 'beforeEach', 'afterAll', 'afterEach'];
const message =
  'Runs only for the first test file of a process that imports it: call the hook in a function.';

export default {
  meta: { name: 'house' },
  rules: {
    'no-hook-at-top': {
      create: (context) => ({
        'Program > ExpressionStatement > CallExpression'({ callee }) {
          if (HOOKS.includes(callee.name)) context.report({ node: callee, message });
        },
      }),
    },
  },
};

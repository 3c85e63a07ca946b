import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'coverage/',
      'docs/api/',
      'node_modules/',
      'test/recordings/',
      'test/package/consumer/*.ts',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [js.configs.recommended, tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // OpenFeature's Provider asks for promises where an answer is at hand at once.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-extraneous-class': [
        'error',
        { allowWithDecorator: true, allowStaticOnly: true },
      ],
      'max-lines': ['error', { max: 250 }],
      // What is deprecated here still works: it is implemented, and tests show it.
      '@typescript-eslint/no-deprecated': ['error', { allow: ['setFlag'] }],
      // The way in which Express's types are widened.
      '@typescript-eslint/no-namespace': ['error', { allowDeclarations: true }],
    },
  },
  {
    files: ['test/**/*.ts', 'examples/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      'max-lines': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    extends: [js.configs.recommended],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        URL: 'readonly',
        performance: 'readonly',
        fetch: 'readonly',
        module: 'writable',
        require: 'readonly',
        Buffer: 'readonly',
        setImmediate: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
  },
  {
    files: ['examples/express/browser/*.js'],
    languageOptions: {
      globals: {
        CustomEvent: 'readonly',
        document: 'readonly',
        EventSource: 'readonly',
        history: 'readonly',
        location: 'readonly',
        window: 'readonly',
      },
    },
  },
  {
    // For a browser.
    files: ['src/local/page/assets/*.js'],
    languageOptions: { globals: { document: 'readonly', location: 'readonly' } },
  },
);

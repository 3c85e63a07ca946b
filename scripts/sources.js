/*
 * ESLint and the compiler, in the current folder and with one program:
 *
 *     node scripts/sources.js
 *
 * Finds what `npm run lint` and `npm run types` find. Each of them spends most of its time on reading all sources and
 * inferring their types; here that happens once.
 */
import { ESLint } from 'eslint';
import ts from 'typescript';

const CONFIG = 'tsconfig.types.json';
const cwd = process.cwd();

const host = {
  getCurrentDirectory: () => cwd,
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
};
const formatted = (diagnostics) => ts.formatDiagnostics(diagnostics, host);

function programOf(config) {
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(config, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic(diagnostic) {
      throw new Error(formatted([diagnostic]));
    },
  });
  return ts.createProgram({ rootNames: fileNames, options, configFileParsingDiagnostics: errors });
}

/** What ESLint has to say, with nothing to say as an empty text. */
async function linted(program) {
  const eslint = new ESLint({
    cwd,
    overrideConfig: {
      files: ['**/*.ts'],
      languageOptions: { parserOptions: { projectService: false, programs: [program] } },
    },
  });
  const results = await eslint.lintFiles(['.']);
  const files = results.filter(({ filePath }) => /\.ts$/.test(filePath)).length;
  if (files === 0) throw new Error(`ESLint found no TypeScript in ${cwd}`);
  return (await eslint.loadFormatter('stylish')).format(results);
}

const program = programOf(CONFIG);
// First: a rule that asks for the target of a link in a comment leaves false errors in the program.
const wrong = formatted(ts.getPreEmitDiagnostics(program));
const complaints = [wrong, await linted(program)].filter((text) => text !== '');
for (const text of complaints) console.error(text);
process.exitCode = complaints.length > 0 ? 1 : 0;

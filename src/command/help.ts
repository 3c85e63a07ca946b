import { CREDENTIAL_VARIABLES } from '../options/environment.js';

/** The command's help texts. */
export const HELP = `Usage: openfeature-flipt-provider COMMAND [options]

Commands
  serve      Serves feature flags over HTTP as Flipt does, from a features file.
  explain    Says why a flag has its value for a user.
  types      Writes the types of the flags, so that a misspelt key does not compile.
  lint       Finds what is probably a mistake in a features file.
  snapshot   Writes a namespace's flags into a file, from which a provider starts without Flipt.

openfeature-flipt-provider COMMAND --help lists the options of a command.
  --help     Prints this help.
  --version  Prints the version.
`;

const SOURCE = `  --features FILE        A features file in Flipt's import and export format.
  --url URL              Instead of a file: the address of a running Flipt, whose snapshot is read.
  --namespace KEY        Default: FLIPT_NAMESPACE, else default.
  --environment NAME     With --url: Flipt v2's environment. Default: FLIPT_ENVIRONMENT.
  --semantics V          With --features: evaluates by the rules of Flipt v1 (v1), of 2.0 to 2.8 (v2.8), or
                         of 2.9 and newer (v2). Default: v1.`;

/** How Flipt is reached; the provider has an option for each. */
const CONNECTION = `  --proxy URL            The proxy on the way to Flipt. Default: that of HTTPS_PROXY (for https:), HTTP_PROXY
                         or ALL_PROXY, unless NO_PROXY has Flipt's host. Its user and password come from
                         these variables only.
  --ca FILE              Certificate authorities to trust for Flipt, in PEM. Default: those that Node trusts.
  --cert FILE            Client certificate, in PEM. Default: none.
  --key FILE             Its private key, in PEM. Default: none.
  --servername NAME      The name that Flipt's certificate must have. Default: the host of --url.
  --header NAME:VALUE    A header of each request, but no credentials. May be given more than once.
  --socket PATH          The Unix domain socket of Flipt. --url then gives only the Host header.`;

const CREDENTIALS = `Credentials for --url come from the environment only, since arguments are seen in the list of
processes: ${CREDENTIAL_VARIABLES}.`;

type Parts = Readonly<Record<'usage' | 'about' | 'options' | 'more' | 'example', string>>;

const helpOf = (parts: Parts) => `Usage: openfeature-flipt-provider ${parts.usage}

${parts.about}

Options
${parts.options}

${parts.more}

Example
  openfeature-flipt-provider ${parts.example}
`;

/** The help of each command. */
export const HELPS = {
  serve: helpOf({
    usage: 'serve --features FILE [options]',
    about: `Serves feature flags over HTTP as Flipt does, from a features file: for development, tests and
demonstrations. In production, use Flipt itself.`,
    options: `  --features FILE        What to serve: a features file in Flipt's import and export format (YAML or JSON,
                         one document a namespace). An edited file is reloaded within a second; while it is
                         wrong, the old features stay and a message says why.
  --port PORT            The port to listen on; 0 is any free one. Default: 8080.
  --host HOST            The address to listen on. Default: 127.0.0.1, which only this machine reaches.
  --allow-host NAME      Another host by which clients address the service, such as a container's name. May
                         be given more than once. All other hosts, and pages of other origins, get a 403.
  --semantics V          Whose rules of evaluation apply: Flipt v1's (v1), those of 2.0 to 2.8 (v2.8), or
                         those of 2.9 and newer (v2). Except with v1, only evaluation and snapshots are
                         served. Default: v1.
  --strict               Refuses, as an error, what this version of Flipt would refuse. Without it, there are
                         warnings.
  --data FILE            Keeps every change made through the interface in FILE. Starts from FILE if it
                         exists, else from --features; later edits of the features file have no effect. A
                         change is answered only after it is safe on disk. One process a file. A file
                         that serve did not write is not overwritten.
  --auth required        Answers only requests with a token, except for GET /health, the page with its files
                         and GET /local/v1/session. Needs a first token.
  --bootstrap-token T    The first token, with which others are made. The environment variable
                         FLIPT_BOOTSTRAP_TOKEN keeps it out of the list of processes.
  --help                 Prints this help.
  --version              Prints the version.`,
    more: `Operations
  GET  /            in a browser: a page of the flags, with a switch for each
  GET  /health
  POST /evaluate/v1/batch, /evaluate/v1/boolean, /evaluate/v1/variant
  GET  /internal/v1/evaluation/snapshot/namespace/{namespaceKey}
For tests, which Flipt has not: makes a flag resolve to a value, for all or for one entity
  PUT, DELETE /local/v1/namespaces/{namespaceKey}/flags/{flagKey}     {"value": …, "for": …}
With v1:
  POST /auth/v1/method/token                GET /auth/v1/tokens/{id}
  GET, POST /api/v1/namespaces/{namespaceKey}/segments
  GET, PUT  /api/v1/namespaces/{namespaceKey}/segments/{key}
  GET, POST /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules
  PUT       /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/variants/{id}
With v2:
  GET  /client/v2/environments/{environment}/namespaces/{namespaceKey}/snapshot
  GET  /client/v2/environments/{environment}/namespaces/{namespaceKey}/stream

Limits: bodies of 16 MB; 10 seconds for a request's headers, 30 for all of it. 50,000 items a batch.
Ends on SIGINT or SIGTERM, after what is in flight. Exit code 0; 1 if it could not start.`,
    example: 'serve --features features.yml --port 8080',
  }),
  explain: helpOf({
    usage: `explain --flag KEY [--entity ID] [--context NAME=VALUE …]
                                          (--features FILE | --url URL) [options]`,
    about:
      'Says why a flag has its value: each rule or rollout in order, what it compared, and what decided.',
    options: `  --flag KEY             The flag.
  --entity ID            The user: what a context has as its targetingKey. Default: none.
  --context NAME=VALUE   An attribute of the context. May be given more than once.
${SOURCE}
  --json                 Prints the explanation as JSON.
  --help                 Prints this help.

With --url
${CONNECTION}`,
    more: `${CREDENTIALS}
Exit codes: 0 explained; 2 there is no such flag; 1 anything else, with a message.`,
    example: 'explain --url http://localhost:8080 --flag banner --entity user-1 --context plan=pro',
  }),
  types: helpOf({
    usage: 'types (--features FILE | --url URL) --out FILE.ts [options]',
    about: `Writes the types of a namespace's flags: a table of flags, the list of their keys, and typed(client).`,
    options: `${SOURCE}
  --out FILE.ts          The file to write. A file that this command did not write is not overwritten.
  --augment FILE.d.ts    Also writes the types of the keys of @openfeature/core, so that every client of
                         OpenFeature knows them. Needs TypeScript's skipLibCheck.
  --check                Writes nothing, and fails if a file is out of date.
  --help                 Prints this help.

With --url
${CONNECTION}`,
    more: `${CREDENTIALS}
Exit codes: 0 written, or up to date; 1 anything else, with a message.`,
    example: 'types --features features.yml --out src/flags.ts',
  }),
  lint: helpOf({
    usage: 'lint --features FILE [options]',
    about: `Says what Flipt will refuse in a features file, and what it takes but is probably a mistake. Each finding has
line and column, its level and rule, what will happen, and what to write.`,
    options: `  --features FILE        A features file in Flipt's import and export format.
  --semantics V          Which Flipt reads the file: v1, v2.8 for 2.0 to 2.8, or v2 for newer ones. Default: v1.
  --from V --to V        Instead of --semantics, before an upgrade of Flipt: only what the newer version refuses
                         or evaluates differently.
  --rule NAME=LEVEL      The level of a rule: off, info, warning or error. May be given more than once.
  --max-level LEVEL      The highest level with which the exit code is 0: none, info, warning or error.
                         Default: info.
  --format FORMAT        text, json, or github for annotations of a pull request. Default: text.
  --json                 The same as --format json.
  --help                 Prints this help.`,
    more: `Rules
  refused                Error: what this Flipt refuses. v2 then serves no flag of the environment.
  evaluated-differently  With --from and --to: a rule whose shares or whose place change with the upgrade.
  operator-type          Error: an operator that the constraint's type does not have.
  text-attachment        An attachment that is a text instead of a mapping or a list. In v2, an error.
  missing-type           A flag without type and variants: it is a variant flag that gives nothing.
  rollout-sum            The percentages of a rule do not add up to 100.
  small-percentage       A threshold between 0 and 1 %, probably meant as a share of 1.
  boolean-variants       Variants or rules of a boolean flag.
  unreachable-rule       A rule or rollout behind one that applies to all of its entities.
  never-matches          A constraint that no value matches, or that contradicts another one.
  single-value           A flag whose rules or rollouts all lead to one value, or that gives none.
  unknown-rule           A comment as below that names no rule of these.
  unused-segment         Info: a segment that no rule and no rollout uses.
  refused-elsewhere      Info: what v1's file storage, or 2.9 and 2.10, refuse.

Rules without a word before them are warnings; in a variant flag that is not enabled, infos.

Comments in the file turn rules off, for a line (at its end, or alone above it) or for the whole file:
  # flipt-lint-ignore: unused-segment, rollout-sum -- the reason
  # flipt-lint-ignore-file: missing-type

A file flipt-lint.json, or the block "flipt-lint" of package.json, in the folder of the features file or above it:
  { "rules": { "unused-segment": "off" }, "maxLevel": "warning" }

Exit codes: 0 no findings above --max-level; 1 some; 2 the file cannot be read, or an argument is wrong.`,
    example: 'lint --features features.yml',
  }),
  snapshot: helpOf({
    usage: 'snapshot --url URL --out FILE.json [options]',
    about: `Writes the flags of a namespace into a file, for an image or a bundle. A provider with the content as
snapshot.initial starts from it while Flipt is down. The file holds the segments, too.`,
    options: `  --url URL              The address of a running Flipt. Default: FLIPT_URL.
  --namespace KEY        Default: FLIPT_NAMESPACE, else default.
  --environment NAME     Flipt v2's environment. Default: FLIPT_ENVIRONMENT.
${CONNECTION}
  --out FILE.json        The file to write, in one step. A file that this command did not write is not
                         overwritten, and one that it wrote keeps its mode.
  --help                 Prints this help.`,
    more: `${CREDENTIALS}
Exit codes: 0 written; 1 anything else, with a message: then the file is as before.`,
    example: 'snapshot --url http://localhost:8080 --out flags.json',
  }),
} as const;

export type CommandName = keyof typeof HELPS;

export const COMMANDS: readonly CommandName[] = ['serve', 'explain', 'types', 'lint', 'snapshot'];

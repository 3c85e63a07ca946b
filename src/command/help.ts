import { CREDENTIAL_VARIABLES } from '../options/environment.js';

/** The help text that lists the commands. */
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
  --url URL              The address of a running Flipt, whose snapshot is read instead of a file.
  --namespace KEY        The namespace of the flags. Default: FLIPT_NAMESPACE, or else default.
  --environment NAME     With --url: the environment of Flipt v2. Default: FLIPT_ENVIRONMENT.
  --semantics V          With --features: whose rules of evaluation apply, those of Flipt v1 (v1), of 2.0 to
                         2.8 (v2.8), or of 2.9 and newer (v2). Default: v1.`;

/**
 * The part of the help texts about the options that say how to connect to Flipt. The provider has an option for each of
 * these command-line options.
 */
const CONNECTION = `  --proxy URL            The proxy between this machine and Flipt. Default: the one in HTTPS_PROXY (for https:),
                         HTTP_PROXY or ALL_PROXY, unless NO_PROXY contains Flipt's host. The proxy's user and
                         password come from these variables only.
  --no-proxy             Uses no proxy, whatever these variables say.
  --ca FILE              Certificate authorities to trust for Flipt, in PEM. Default: those that Node trusts.
  --cert FILE            The client certificate, in PEM. Default: none.
  --key FILE             The private key of the client certificate, in PEM. Default: none.
  --servername NAME      The name that Flipt's certificate must have. Default: the host of --url.
  --header NAME:VALUE    A header of each request. It must not contain credentials. You may give it repeatedly.
  --socket PATH          The Unix domain socket of Flipt. --url then only sets the Host header, and is
                         http://localhost if you leave it out.`;

const CREDENTIALS = `Credentials for --url come from the environment only, because everybody on the machine can read the
arguments of a process. Set ${CREDENTIAL_VARIABLES}.`;

type Parts = Readonly<Record<'usage' | 'about' | 'options' | 'more' | 'example', string>>;

const helpOf = (parts: Parts) => `Usage: openfeature-flipt-provider ${parts.usage}

${parts.about}

Options
${parts.options}

${parts.more}

Example
  openfeature-flipt-provider ${parts.example}
`;

/** The help text of each command. */
export const HELPS = {
  serve: helpOf({
    usage: 'serve --features FILE [options]',
    about: `Serves feature flags over HTTP as Flipt does, from a features file: for development, tests and
demonstrations. In production, use Flipt itself.`,
    options: `  --features FILE        What to serve: a features file in Flipt's import and export format (YAML or JSON,
                         with one document for each namespace). When you edit the file, serve reloads it
                         within a second. If it is wrong, a message says why, and serve keeps the old features.
  --port PORT            The port to listen on; 0 means any free port. Default: 8080.
  --host HOST            The address to listen on. Default: 127.0.0.1, which only this machine reaches.
  --allow-host NAME      Another host by which clients address the service, such as a container's name. May
                         be given more than once. All other hosts, and pages of other origins, get a 403.
  --semantics V          Whose rules of evaluation apply: those of Flipt v1 (v1), of 2.0 to 2.8 (v2.8), or of
                         2.9 and newer (v2). With v2.8 and v2, serve offers only evaluation and snapshots.
                         Default: v1.
  --strict               Makes everything an error that this version of Flipt would refuse. Without it, serve
                         warns.
  --data FILE            Keeps every change made over HTTP in FILE. If FILE exists, serve starts from it and
                         not from --features, and later edits of the features file have no effect. A change
                         is answered only after it is safe on disk. Only one process may use FILE. If
                         something else wrote FILE, serve does not overwrite it.
  --auth required        Answers only requests with a token, except for GET /health, the page with its files
                         and GET /local/v1/session. You must then give a first token.
  --bootstrap-token T    The first token, with which you create others. Set FLIPT_BOOTSTRAP_TOKEN instead, so
                         that nobody sees the token in the list of processes.
  --help                 Prints this help.
  --version              Prints the version.`,
    more: `Operations
  GET  /            in a browser: a page of the flags, with a switch for each
  GET  /health
  POST /evaluate/v1/batch, /evaluate/v1/boolean, /evaluate/v1/variant
  GET  /internal/v1/evaluation/snapshot/namespace/{namespaceKey}
For tests, and not in Flipt itself: make a flag resolve to a value, for all entities or for one
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

A body may have 16 MB, and a batch 50,000 items. A request's headers must arrive within 10 s, and all of
it within 30 s. SIGINT or SIGTERM ends serve after the requests in flight. The exit code is then 0; it is 1
if serve could not start.`,
    example: 'serve --features features.yml --port 8080',
  }),
  explain: helpOf({
    usage: `explain --flag KEY [--entity ID] [--context NAME=VALUE …]
                                          (--features FILE | --url URL) [options]`,
    about:
      'Says why a flag has its value: it shows each rule or rollout in order, what it compared, and which decided.',
    options: `  --flag KEY             The key of the flag.
  --entity ID            The user, as in the targetingKey of a context. Default: none.
  --context NAME=VALUE   An attribute of the context. May be given more than once.
${SOURCE}
  --json                 Prints the explanation as JSON.
  --help                 Prints this help.

With --url
${CONNECTION}`,
    more: `${CREDENTIALS}
The exit code is 0 if the flag was explained, 2 if there is no such flag, and 1 for any other error.`,
    example: 'explain --url http://localhost:8080 --flag banner --entity user-1 --context plan=pro',
  }),
  types: helpOf({
    usage: 'types (--features FILE | --url URL) --out FILE.ts [options]',
    about: `Writes the types of a namespace's flags: a table of flags, the list of their keys, and typed(client).`,
    options: `${SOURCE}
  --out FILE.ts          The file to write. If something else wrote the file, it is not overwritten.
  --augment FILE.d.ts    Also writes the types of flag keys for @openfeature/core, so that every client of
                         OpenFeature knows them. TypeScript must run with skipLibCheck.
  --check                Writes nothing, and fails if a file is out of date.
  --help                 Prints this help.

With --url
${CONNECTION}`,
    more: `${CREDENTIALS}
The exit code is 0 if the files were written or are up to date, and 1 for any error.`,
    example: 'types --features features.yml --out src/flags.ts',
  }),
  lint: helpOf({
    usage: 'lint FILE… [options]',
    about: `Says what Flipt will refuse in a features file, and what it accepts although it is probably a mistake. Each
finding shows its line and column, its level and rule, what will happen, and what to write instead.`,
    options: `  FILE…                  One or more features files in Flipt's import and export format.
  --features FILE        The same, for one file.
  --semantics V          Which version of Flipt will read the file: v1, v2.8 (2.0 to 2.8), v2.9, v2.10, or v2
                         (2.11 and newer). Default: the one in the settings, or else v1.
  --from V --to V        Shows only what changes with an upgrade of Flipt: what the newer version refuses and the
                         older one does not, what it evaluates differently, and what is unreadable and so cannot
                         be compared. Give both instead of --semantics.
  --rule NAME=LEVEL      The level of a rule: off, info, warning or error. May be given more than once.
  --max-level LEVEL      The highest level of findings with which the exit code is still 0: none, info,
                         warning or error. Default: info.
  --format FORMAT        How findings are printed: text, json, or github (annotations of a pull request).
                         Default: text.
  --json                 The same as --format json.
  --help                 Prints this help.`,
    more: `Rules
  refused                Error: this Flipt refuses the file. Flipt v2 then serves no flag of the environment.
  evaluated-differently  With --from and --to: the upgrade changes the shares or the place of a rule.
  unreadable             Error: the embedded service refuses the file, although this Flipt may take it.
  operator-type          Error: with v1, the type of a constraint does not have its operator.
  text-attachment        An attachment is a text instead of a mapping or a list. With v2, it is an error.
  missing-type           A flag has no type and no variants, so it is a variant flag without a value.
  rollout-sum            The percentages of a rule do not add up to 100.
  small-percentage       A threshold is between 0 and 1 %, and is probably meant as a share of 1.
  boolean-variants       A boolean flag has variants or rules, which Flipt ignores.
  unreachable-rule       A rule or rollout comes after one that already applies to all of its entities.
  never-matches          No value can match a constraint, or it contradicts another one.
  single-value           All rules or rollouts of a flag lead to the same value, or the flag has no value.
  unknown-rule           A comment, as described below, names a rule that does not exist.
  unused-segment         Info: no rule and no rollout uses a segment.
  refused-elsewhere      Info: the file storage of v1, or 2.9 and 2.10, refuse something.

Rules without a level before them are warnings. In a variant flag that is not enabled, they are infos.

Comments in the file turn rules off, for a line (at its end, or on a line of its own above it) or for the whole file:
  # flipt-lint-ignore: unused-segment, rollout-sum -- the reason
  # flipt-lint-ignore-file: missing-type

You can set levels and the version in a file flipt-lint.json, or in the block "flipt-lint" of package.json. It may stand in the
folder of the features file, or in any folder above it:
  { "semantics": "v2", "rules": { "unused-segment": "off" }, "maxLevel": "warning" }

The exit code is 0 without findings above --max-level, 1 with some, and 2 if the file is missing or is no YAML, or
if an argument is wrong.`,
    example: 'lint --features features.yml',
  }),
  snapshot: helpOf({
    usage: 'snapshot --url URL --out FILE.json [options]',
    about: `Writes the flags of a namespace into a file, for an image or a bundle. If you pass the file's content to a
provider as snapshot.initial, the provider starts while Flipt is down. The file also contains the segments.`,
    options: `  --url URL              The address of a running Flipt. Default: FLIPT_URL.
  --namespace KEY        The namespace of the flags. Default: FLIPT_NAMESPACE, or else default.
  --environment NAME     The environment of Flipt v2. Default: FLIPT_ENVIRONMENT.
${CONNECTION}
  --out FILE.json        The file to write, in one step. If something else wrote the file, it is not
                         overwritten. If this command wrote it, it keeps its permissions.
  --help                 Prints this help.`,
    more: `${CREDENTIALS}
The exit code is 0 if the file was written. It is 1 for any error, and then the file is as before.`,
    example: 'snapshot --url http://localhost:8080 --out flags.json',
  }),
} as const;

export type CommandName = keyof typeof HELPS;

export const COMMANDS: readonly CommandName[] = ['serve', 'explain', 'types', 'lint', 'snapshot'];

/** An argument of the command that cannot be used. Its message names the argument and what was expected. */
export class WrongArgument extends Error {
  override readonly name = 'WrongArgument';
}

/** What kept a command from its work. Its message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

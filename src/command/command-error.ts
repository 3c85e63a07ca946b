/** An argument of the command that cannot be used. Its message names the argument and what was expected. */
export class WrongArgument extends Error {
  override readonly name = 'WrongArgument';
}

/** The command could not do its work. The message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

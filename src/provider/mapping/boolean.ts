import { attachmentOf, mismatch, type Translate } from './value.js';

/** Boolean flag: its value. Variant flag: the key `true` or `false`, else an attachment that is a JSON boolean. */
export const toBoolean: Translate<boolean> = (answer) => {
  if (answer.kind === 'boolean') return { value: answer.enabled, variant: answer.enabled ? 'true' : 'false' };
  const { variant } = answer;
  if (variant === 'true' || variant === 'false') return { value: variant === 'true', variant };
  const attached = attachmentOf(answer);
  return typeof attached === 'boolean' ? { value: attached, variant } : mismatch('a boolean', answer);
};

import { OPERATORS } from '../engine/constraint-match.js';
import { isRecord, quoted, unsteered } from '../base/text/describe.js';
import { memberOf } from './document-parts.js';
import type { DocumentPath, Mistake } from './features-error.js';
import { areMany, memberWords, type FoundRefusal } from './find-refusals.js';
import { WHOLE } from './mistake-kinds.js';

type Words = Pick<FoundRefusal, 'problem' | 'fix'>;

/**
 * Describes a mistake in whole sentences, as a finding of `lint` needs them. `given` is the document that has the
 * mistake, as it was written.
 */
export function mistakeWords({ path, wrong }: Mistake, given: unknown): Words {
  const value = valueAt(given, path);
  const member = memberWords(given, path);
  const holder = memberWords(given, path.slice(0, -1));
  const is = `${member} ${areMany(path) ? 'are' : 'is'}`;
  const says = (problem: string, fix: string): Words => ({ problem: `${problem}.`, fix: `${fix}.` });
  switch (wrong.kind) {
    case 'missing':
      return says(`${is} missing`, 'Write it');
    case 'rollouts-of-variant-flag':
      return says(
        `${holder} has rollouts, which only a BOOLEAN_FLAG_TYPE has`,
        'Write type: BOOLEAN_FLAG_TYPE, or remove the rollouts',
      );
    case 'unknown-member':
    case 'bare-percentage':
      return says(
        `${holder} has the unknown member ${unsteered(String(path.at(-1)))}`,
        wrong.meant === undefined ? 'Remove it' : `Write ${wrong.meant}, or remove it`,
      );
    case 'either': {
      const { names } = wrong;
      const hasNone = names.every((name) => memberOf(value, name) == null);
      const has = hasNone ? `has neither ${names.join(' nor ')}` : `has both ${names.join(' and ')}`;
      return says(`${member} ${has}`, `Write either ${names.join(' or ')}`);
    }
    case 'repeated-key':
      return says(
        `Two ${String(path.at(-3))} have the key ${quoted(wrong.key)}`,
        'Write another key, or remove one of the two',
      );
    case 'repeated-namespace':
      return says(
        `The namespace ${quoted(wrong.key)} already has a document`,
        'Write one document for each namespace',
      );
    case 'unknown-key': {
      const { part, key } = wrong;
      const fitting = `${part} of ${WHOLE[part]}`;
      return says(
        `${is} ${quoted(key)}, which is no ${fitting}`,
        `Write the key of a ${fitting}, or add the ${part}`,
      );
    }
    case 'wrong-operator':
      return says(
        `${is} ${quoted(wrong.operator)}, which ${wrong.type} does not have`,
        `Write one of ${OPERATORS[wrong.type].join(', ')}, or change the type`,
      );
    case 'other-service':
      return says(
        `This is a file of ${wrong.service}, not of Flipt`,
        'Write the flags as a list; docs/migrating.md compares the two',
      );
    case 'syntax':
      return says(`${member}: ${wrong.message}`, 'Correct it');
    case 'unquoted':
      return says(`${is} ${wrong.got ?? 'a date without quotes'}`, 'Put it in quotes');
    case 'empty':
      return says(`${is} empty`, `Write ${wrong.expected}`);
    case 'wrong-item':
      return says(`${is} a list with ${wrong.got}`, `Write ${wrong.expected}`);
    case 'long':
      return says(`${member} has ${wrong.got} members`, `Write ${wrong.expected}`);
    case 'several-defaults':
      return says(`${holder} has several default variants`, 'Write at most one of them');
    default:
      return says(`${is} ${wrong.got ?? kindIn(value)}`, `Write ${wrong.expected}`);
  }
}

function kindIn(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return 'a list';
  return isRecord(value) ? 'a mapping' : String(value);
}

/** Returns the part of a document at a path, or `undefined` if there is no such part. */
export function valueAt(given: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>((holder, part) => memberOf(holder, String(part)), given);
}

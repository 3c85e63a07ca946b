import type { Semantics, Segment } from '../../engine/features.js';
import type { CheckedDocument } from '../document-schema.js';
import type { Reach } from './reached-entities.js';
import type { DocumentPath, TextPosition } from '../features-error.js';

/** Each is one sentence or more. */
export interface Sentences {
  /** What is written. */
  readonly problem: string;
  /** What it does when a flag is evaluated. */
  readonly effect: string;
  /** What to write instead. */
  readonly fix: string;
}

/**
 * How much a finding matters. `error`: Flipt refuses the file. `warning`: it will surprise somebody. `info`:
 * housekeeping.
 */
export type Level = 'error' | 'warning' | 'info';

/** What `--rule` and a file of settings may say of a rule. */
export type RuleSetting = Level | 'off';

/** What is set for a features file. */
export interface LintSettings {
  readonly rules: ReadonlyMap<string, RuleSetting>;
  /** The highest level of findings with which the command ends with 0. */
  readonly maxLevel: Level | 'none';
  /** Before an upgrade of Flipt, the version that is left: then only what changes with the upgrade is found. */
  readonly from?: Semantics;
}

/** Something that can be read, and is probably not what its writer meant. */
export interface LintProblem extends Sentences {
  readonly path: DocumentPath;
}

/** A place in a features file. */
export interface FindingPlace extends TextPosition {
  /** The key of the document's namespace; `''` for a comment. */
  readonly namespace: string;
  /** The place in the document: `flags[0].rules[1]`; `''` for a comment. */
  readonly path: string;
}

/** A problem with its place and the rule that found it. The command prints these members as JSON. */
export interface Finding extends Sentences, FindingPlace {
  /** The path of the file. */
  readonly file: string;
  /** The rule's name. */
  readonly rule: string;
  readonly level: Level;
  /** The other places of the same pattern, if it repeats so often that one finding stands for all; else empty. */
  readonly others: readonly FindingPlace[];
}

/** What the rules read. */
export interface LintedDocument {
  /** As it was written, without defaults. */
  readonly given: unknown;
  readonly content: CheckedDocument;
  /** By key. */
  readonly segments: ReadonlyMap<string, Segment>;
  /** Of the segments, by key. */
  readonly reaches: ReadonlyMap<string, Reach>;
  readonly semantics: Semantics;
}

/** Finds the problems of one kind in a document. */
export type LintRule = (document: LintedDocument) => readonly LintProblem[];

import type { Semantics, Segment } from '../../engine/features.js';
import type { CheckedDocument } from '../document-schema.js';
import type { LintedVersion } from '../format-versions.js';
import type { Reach } from './segment-coverage.js';
import type { DocumentPath, TextPosition } from '../features-error.js';

/** The texts of a finding. Each text consists of one or more whole sentences. */
export interface Sentences {
  /** The text that says what is written in the file. */
  readonly problem: string;
  /** The text that says what the problem does when a flag is evaluated. */
  readonly effect: string;
  /** The text that says what to write instead. */
  readonly fix: string;
}

/**
 * How much a finding matters. An `error` means that Flipt refuses the file, a `warning` that the result will surprise
 * somebody, and an `info` that something can be tidied up.
 */
export type Level = 'error' | 'warning' | 'info';

/** The settings that `--rule` and a settings file can give to a rule: a level, or `off`, which turns the rule off. */
export type RuleSetting = Level | 'off';

/** The settings of `lint` for a features file. */
export interface LintSettings {
  readonly rules: ReadonlyMap<string, RuleSetting>;
  /** The highest level of findings with which the command still ends with exit code 0. */
  readonly maxLevel: Level | 'none';
  /** The version of Flipt that will read the file. It is `undefined` if the settings file does not name a version. */
  readonly semantics?: LintedVersion;
  /** The version from which Flipt will be upgraded. If it is set, `lint` finds only what the upgrade changes. */
  readonly from?: LintedVersion;
}

/** Something in a file that can be read, but is probably not what its writer meant. */
export interface LintProblem extends Sentences {
  readonly path: DocumentPath;
}

/** A place in a features file. */
export interface FindingPlace extends TextPosition {
  /** The key of the document's namespace; `''` for a comment. */
  readonly namespace: string;
  /** The path in the document, such as `flags[0].rules[1]`; `''` for a comment. */
  readonly path: string;
}

/**
 * A problem, its place, and the rule that found the problem. With `--json`, the command prints all members of this
 * type.
 */
export interface Finding extends Sentences, FindingPlace {
  /** The path of the file. */
  readonly file: string;
  /** The name of the rule that found the problem. */
  readonly rule: string;
  readonly level: Level;
  /**
   * The places of the other findings for which this finding stands, because they differ only in names and numbers. If
   * this finding stands for no others, the list is empty.
   */
  readonly others: readonly FindingPlace[];
}

/** A document in the form in which the rules of `lint` read documents. */
export interface LintedDocument {
  /** The document as it was written, without defaults. */
  readonly given: unknown;
  readonly content: CheckedDocument;
  /** The document's segments by their keys. */
  readonly segments: ReadonlyMap<string, Segment>;
  /** Which entities each segment matches, by the segment's key. */
  readonly reaches: ReadonlyMap<string, Reach>;
  readonly semantics: Semantics;
}

/** Finds the problems of one kind in a document. */
export type LintRule = (document: LintedDocument) => readonly LintProblem[];

import type { Semantics, Segment } from '../../engine/features.js';
import type { CheckedDocument } from '../document-schema.js';
import type { LintedVersion } from '../format-versions.js';
import type { Reach } from './segment-coverage.js';
import type { DocumentPath, TextPosition } from '../features-error.js';

/** The words of a finding. Each text is one whole sentence or more. */
export interface Sentences {
  /** Says what is written in the file. */
  readonly problem: string;
  /** Says what that does when a flag is evaluated. */
  readonly effect: string;
  /** Says what to write instead. */
  readonly fix: string;
}

/**
 * How much a finding matters. An `error` means that Flipt refuses the file, a `warning` that the result will surprise
 * somebody, and an `info` that something can be tidied up.
 */
export type Level = 'error' | 'warning' | 'info';

/** The levels that `--rule` and a file of settings can give to a rule. `off` turns the rule off. */
export type RuleSetting = Level | 'off';

/** The settings of `lint` for a features file. */
export interface LintSettings {
  readonly rules: ReadonlyMap<string, RuleSetting>;
  /** The highest level of findings with which the command still ends with exit code 0. */
  readonly maxLevel: Level | 'none';
  /** Which version of Flipt will read the file; `undefined` if a file of settings does not say it. */
  readonly semantics?: LintedVersion;
  /**
   * The version from which Flipt will be upgraded. If it is set, only what the upgrade changes is
   * found.
   */
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

/** A problem with its place and the rule that found it. The command prints these members as JSON. */
export interface Finding extends Sentences, FindingPlace {
  /** The path of the file. */
  readonly file: string;
  /** The name of the rule that found it. */
  readonly rule: string;
  readonly level: Level;
  /**
   * The other places of the same pattern, if one finding stands for all of them. The list is empty for any other
   * finding.
   */
  readonly others: readonly FindingPlace[];
}

/** A document as the rules of `lint` read it. */
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

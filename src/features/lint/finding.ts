import type { Semantics, Segment } from '../../engine/features.js';
import type { CheckedDocument } from '../document-schema.js';
import type { LintedVersion } from '../format-versions.js';
import type { Reach } from './segment-coverage.js';
import type { DocumentPath, TextPosition } from '../features-error.js';

/** The texts of a finding of `lint`. Each text consists of one or more whole sentences. */
export interface Sentences {
  /** Says what is written in the file. */
  readonly problem: string;
  /** Says what the problem does when Flipt reads the file or evaluates a flag. */
  readonly effect: string;
  /** Says what to write instead. */
  readonly fix: string;
}

/**
 * How serious a finding is. By default, an `error` means that Flipt or this package refuses the file, and a `warning`
 * usually means that the result of an evaluation will surprise somebody. By default, an `info` is about something less
 * important. The settings can give each rule of `lint` another level.
 */
export type Level = 'error' | 'warning' | 'info';

/**
 * What the option `--rule` and a settings file can set for a rule: the level of its findings, or `off`, which turns the
 * rule off.
 */
export type RuleSetting = Level | 'off';

/** The settings of `lint` for a features file. */
export interface LintSettings {
  readonly rules: ReadonlyMap<string, RuleSetting>;
  /**
   * The highest level that a finding can have without making the command fail. If a finding has a higher level, the
   * command does not end with exit code 0.
   */
  readonly maxLevel: Level | 'none';
  /** The version of Flipt that will read the file, or `undefined` if the settings file does not name a version. */
  readonly semantics?: LintedVersion;
  /**
   * The version from which the user will upgrade Flipt. If this version is set, `lint` finds only what the upgrade
   * changes, and mistakes that keep `lint` from finding changes.
   */
  readonly from?: LintedVersion;
}

/** A problem that `lint` has found in a document, and the path of the part that has the problem. */
export interface LintProblem extends Sentences {
  readonly path: DocumentPath;
}

/** A place in a features file. */
export interface FindingPlace extends TextPosition {
  /**
   * The key of the namespace of the document. The key is `''` if it cannot be read, or if the finding is about a
   * comment.
   */
  readonly namespace: string;
  /**
   * The path in the document, such as `flags[0].rules[1]`, or `''` if the finding is about the whole document or a
   * comment.
   */
  readonly path: string;
}

/**
 * A problem, its place, and the rule that found the problem. With `--json`, the command prints all members of this
 * type.
 */
export interface Finding extends Sentences, FindingPlace {
  /** The path of the features file. */
  readonly file: string;
  /** The name of the rule of `lint` that found the problem. */
  readonly rule: string;
  readonly level: Level;
  /**
   * The places of other findings that differ from this one only in names and numbers, and that are not shown
   * themselves. The list is empty if this finding stands for no other finding.
   */
  readonly others: readonly FindingPlace[];
}

/** A document of a features file, in the form that the rules of `lint` read. */
export interface LintedDocument {
  /** The document as it was written, without defaults. */
  readonly given: unknown;
  readonly content: CheckedDocument;
  /** The document's segments by their keys. */
  readonly segments: ReadonlyMap<string, Segment>;
  /** For each segment, by its key: whether the segment matches everybody, nobody or some entities. */
  readonly reaches: ReadonlyMap<string, Reach>;
  readonly semantics: Semantics;
}

/** A rule of `lint`: a function that finds the problems of one kind in a document. */
export type LintRule = (document: LintedDocument) => readonly LintProblem[];

/**
 * Returns whether a text that is used as one part of a path leads to another path, as `.` and `..` do. `.` and `..`
 * also lead to another path beside a slash in the text, because some gateways decode a slash before they split the
 * path. Encoding the dots does not help: `fetch` and many gateways read `%2E%2E` as `..`. Flipt allows no dots in keys.
 */
export const leadsElsewhere = (part: string) => part.split(/[/\\]/).some((name) => /^\.{1,2}$/.test(name));

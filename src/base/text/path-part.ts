/**
 * Returns whether a text that becomes one part of a URL's path leads to another path, as `.` and `..` do. A text such
 * as `a/..` leads to another path, too, because some gateways decode an encoded slash before they split the path.
 * Encoding the dots does not help: `fetch` and many gateways read `%2E%2E` as `..`. Flipt allows no dots in keys.
 */
export const leadsElsewhere = (part: string) => part.split(/[/\\]/).some((name) => /^\.{1,2}$/.test(name));

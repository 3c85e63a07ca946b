/**
 * Whether a text leads to another path when it is a part of one, as `.` and `..` do. They do so also beside a slash in
 * the text, because some gateways decode a slash before they split the path. Encoding the dots does not help: `fetch`
 * and many gateways read `%2E%2E` as `..`. No key of Flipt has dots.
 */
export const leadsElsewhere = (part: string) => part.split(/[/\\]/).some((name) => /^\.{1,2}$/.test(name));

/**
 * Whether a text leads to another path when it is a part of one: `.` and `..`, also beside a slash in it, because some
 * gateways decode a slash before they split the path. To encode the dots does not help: `fetch` and many gateways read
 * `%2E%2E` as `..`. No key of Flipt's has dots.
 */
export const leadsElsewhere = (part: string) => part.split(/[/\\]/).some((name) => /^\.{1,2}$/.test(name));

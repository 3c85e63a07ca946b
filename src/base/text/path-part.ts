/**
 * As `.` and `..` do, and `a/..` where a gateway decodes before it splits. Encoding does not help: `fetch` reads
 * `%2E%2E` as `..`.
 */
export const leadsElsewhere = (part: string) => part.split(/[/\\]/).some((name) => /^\.{1,2}$/.test(name));

export function markdownTable(rows: readonly (readonly string[])[]): string;

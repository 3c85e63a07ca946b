/**
 * Makes the function that names things which have a key, and of which several with different contents may have the same
 * key. Equal key and content give the same name. Each other content gets another name: first the key itself, then the
 * key with a number after a NUL. No other key gets such a name, because a key with a NUL in it always gets a number.
 */
export function distinctNames(): (key: string, content: string) => string {
  const byKey = new Map<string, Map<string, string>>();
  return (key, content) => {
    const byContent = byKey.get(key) ?? new Map<string, string>();
    byKey.set(key, byContent);
    const known = byContent.get(content);
    if (known !== undefined) return known;
    const name = byContent.size === 0 && !key.includes('\0') ? key : `${key}\0${byContent.size}`;
    byContent.set(content, name);
    return name;
  };
}

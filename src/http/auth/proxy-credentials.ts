type Environment = Readonly<Record<string, string | undefined>>;

/** What undici sends to proxies whose addresses hold a user and a password, and the passwords themselves. */
export function proxyCredentialsOf(proxy: string | undefined, env: Environment): readonly string[] {
  const addresses =
    proxy === 'env' ? [env.http_proxy ?? env.HTTP_PROXY, env.https_proxy ?? env.HTTPS_PROXY] : [proxy];
  return addresses.flatMap((address) => {
    if (!address || !URL.canParse(address)) return [];
    const { username, password } = new URL(address);
    if (username === '' || password === '') return [];
    const [user, secret] = [decoded(username), decoded(password)];
    return [`Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`, secret];
  });
}

/** If the text cannot be decoded, undici reports that. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

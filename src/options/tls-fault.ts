import { nodeModules } from '../base/node-modules.js';

/** Names a member of `http.tls` that cannot work, and says what was expected instead. */
interface TlsFault {
  readonly name: 'ca' | 'cert' | 'key';
  readonly expected: string;
}

type Pem = string | Uint8Array;

/** The members of `http.tls` that the function `tlsFault` checks. */
interface Certificates {
  readonly ca?: Pem | readonly Pem[] | undefined;
  readonly cert?: Pem | undefined;
  readonly key?: Pem | undefined;
}

/**
 * Finds wrong certificates and keys when the options are checked. Without this check, connections would fail later,
 * with an error in the words of OpenSSL. Returns `undefined` if nothing is wrong, or if this runtime cannot check
 * certificates and keys.
 */
export function tlsFault({ ca = [], cert, key }: Certificates): TlsFault | undefined {
  const authorities = typeof ca === 'string' || ca instanceof Uint8Array ? [ca] : ca;
  const wrong = authorities.map(certificateFault).find((expected) => expected !== undefined);
  if (wrong !== undefined) return { name: 'ca', expected: wrong };
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined)
    return { name: 'cert', expected: 'the client certificate that belongs to http.tls.key' };
  if (key === undefined) return { name: 'key', expected: OWN_KEY };
  const ofCert = certificateFault(cert);
  if (ofCert !== undefined) return { name: 'cert', expected: ofCert };
  const ofKey = keyFault(key) ?? (isRefused(() => belongs(cert, key)) ? OWN_KEY : undefined);
  return ofKey === undefined ? undefined : { name: 'key', expected: ofKey };
}

const OWN_KEY = 'the private key of http.tls.cert';

function certificateFault(pem: Pem): string | undefined {
  const text = textOf(pem);
  if (!/-----BEGIN [A-Z\d ]*CERTIFICATE-----/.test(text)) {
    return isKey(text) ? 'a certificate in PEM, and no private key' : 'a certificate in PEM';
  }
  return isRefused(() => new nodeModules.crypto.X509Certificate(pem))
    ? 'a certificate in PEM that can be read'
    : undefined;
}

function keyFault(pem: Pem): string | undefined {
  const text = textOf(pem);
  if (!isKey(text)) {
    return text.includes('CERTIFICATE-----')
      ? 'a private key in PEM, and no certificate'
      : 'a private key in PEM';
  }
  if (/ENCRYPTED/.test(text)) return 'a private key without a passphrase';
  return isRefused(() => privateKey(pem)) ? 'a private key in PEM that can be read' : undefined;
}

const textOf = (pem: Pem) => (typeof pem === 'string' ? pem : Buffer.from(pem).toString('latin1'));

const isKey = (text: string) => text.includes('PRIVATE KEY-----');

const privateKey = (pem: Pem) =>
  nodeModules.crypto.createPrivateKey(typeof pem === 'string' ? pem : Buffer.from(pem));

const belongs = (cert: Pem, key: Pem) =>
  new nodeModules.crypto.X509Certificate(cert).checkPrivateKey(privateKey(key));

/**
 * Returns whether `check` returns `false`, or throws an error of OpenSSL. If `check` throws any other error, the result
 * is `false`, because such an error means only that this runtime cannot do the check.
 */
function isRefused(check: () => unknown): boolean {
  try {
    return check() === false;
  } catch (error) {
    return /^ERR_OSSL_/.test(String(Reflect.get(Object(error), 'code')));
  }
}

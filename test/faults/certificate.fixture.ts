import { createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate with its key, in PEM. It is made for each run, so that the repository never has one. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

interface Wanted {
  readonly name: string;
  /** The host names and addresses of the certificate; of IPv6, only `::1`. */
  readonly hosts?: readonly string[];
  /** The authority that signs the certificate. Default: the certificate signs itself, as a certificate authority. */
  readonly issuer?: { readonly name: string } & Identity;
  readonly validFrom?: Date;
  readonly validTo?: Date;
}

const DAY_MS = 86_400_000;

/** Makes a certificate of X.509 v3 with ECDSA on P-256, as RFC 5280 lays it out. */
export function makeCertificate({
  name,
  hosts = [],
  issuer,
  validFrom = new Date(Date.now() - DAY_MS),
  validTo = new Date(Date.now() + DAY_MS),
}: Wanted): Identity & { readonly name: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer: KeyObject = issuer === undefined ? privateKey : createPrivateKey(issuer.key);
  const extensions = [
    extension('551d13', sequence(...(issuer === undefined ? [der(0x01, Buffer.from([0xff]))] : []))),
    ...(hosts.length === 0 ? [] : [extension('551d11', sequence(...hosts.map(alternativeName)))]),
  ];
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer?.name ?? name),
    sequence(utcTime(validFrom), utcTime(validTo)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, signer);
  const certificate = sequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    name,
    cert: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Encodes a value in DER: its tag, its length and its content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const bytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(commonName)))));
}

function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, '');
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function alternativeName(host: string): Buffer {
  if (isIP(host) === 4) return der(0x87, Buffer.from(host.split('.').map(Number)));
  return host === '::1'
    ? der(0x87, Buffer.from([...Array<number>(15).fill(0), 1]))
    : der(0x82, Buffer.from(host));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), der(0x04, value));
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

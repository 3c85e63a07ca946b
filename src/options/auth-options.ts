/** The service's credentials, in one of these forms. They never appear in a message, log or error. */
export type AuthOptions =
  | {
      /** A client token, sent as `Authorization: Bearer …`. */
      readonly token: string;
    }
  | {
      /** A JSON Web Token, sent as `Authorization: JWT …`: Flipt's scheme for its JWT method. */
      readonly jwt: string;
    }
  | {
      /** Path of a file that holds a client token; read again when it changes and when the service rejects the token. */
      readonly tokenFile: string;
    }
  | {
      /**
       * Returns the headers to send; called for each request. May be async and take at most `http.timeoutMs`. If it
       * fails, nothing is sent.
       */
      readonly headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
    }
  | {
      /**
       * Logs in with the pod's service account token, by Flipt's Kubernetes method. The file is read for each login. The
       * login is renewed in the background before it expires.
       */
      readonly kubernetes: true | KubernetesLoginOptions;
    };

/** How a pod logs in. */
export interface KubernetesLoginOptions {
  /** Path of the service account token. Default `/var/run/secrets/kubernetes.io/serviceaccount/token`. */
  readonly tokenPath?: string | undefined;
}

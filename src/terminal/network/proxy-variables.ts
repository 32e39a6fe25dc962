/**
 * Variables that point programs to a proxy on loopback. Programs read either spelling. An empty NO_PROXY sends loopback addresses through
 * the proxy too.
 */
export function proxyVariables(port: number): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${port}`
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    NO_PROXY: '',
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    no_proxy: '',
    // Node's own fetch (22.21 and later).
    NODE_USE_ENV_PROXY: '1',
  }
}

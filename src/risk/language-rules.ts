import type { FactName } from './facts.js'
import { isTest } from './paths.js'

/** A pattern, and the fact that an added line has if it matches. */
export interface TextRule {
  readonly name: FactName
  readonly pattern: RegExp
  /** Lines that only look like it. */
  readonly except?: RegExp
  readonly where?: (path: string) => boolean
}

const isRuby = (path: string) => /\.(?:rb|rake|gemspec|erb|haml|slim)$|(?:^|\/)(?:Rakefile|Gemfile)$/i.test(path)
const isPhp = (path: string) => /\.(?:php|phtml)$/i.test(path)
const isC = (path: string) => /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm)$/i.test(path)
const isDotnet = (path: string) => /\.(?:cs|fs|vb|cshtml|razor)$/i.test(path)
const isJvm = (path: string) => /\.(?:java|kt|kts|scala|groovy|gradle)$/i.test(path)
const isQueried = (path: string) =>
  /\.(?:rb|php|phtml|cs|fs|vb|java|kt|scala|go|py|swift|rs|cc|cpp)$/i.test(path) && !isTest(path)

/** Rules for individual languages that are not parsed. */
export const LANGUAGE_RULES: readonly TextRule[] = [
  {
    name: 'process-call',
    pattern:
      /(?<![\w.:])(?:system|spawn|exec|fork)(?:\(|\s+["'])|\b(?:Open3|PTY|IO\.popen|Process\.spawn|Kernel\.(?:system|exec|spawn))\b|%x[({[]|(?:^|[=(\s])`[^`]{1,300}`/,
    where: isRuby,
  },
  {
    name: 'process-call',
    pattern: /(?<![\w>:$])(?:exec|system|popen|pcntl_exec)\s*\(|(?:^|[=(]\s?)`[^`]{1,300}`/,
    where: isPhp,
  },
  {
    name: 'process-call',
    pattern:
      /(?<![\w.>:])(?:system|popen|execv[pe]{0,2}|execl[pe]?|posix_spawnp?|fork|vfork|CreateProcess[AW]?|ShellExecute\w*)\s*\(/,
    where: isC,
  },
  { name: 'process-call', pattern: /\bnew\s+ProcessStartInfo\b/, where: isDotnet },
  {
    name: 'process-call',
    pattern: /\.exec\(\s*(?:["'\w]|new\s+String)|\bScriptEngineManager\b/,
    except: /\b(?:pattern|matcher|regex)\w*\.exec\(/i,
    where: isJvm,
  },
  {
    name: 'runs-text',
    pattern:
      /(?<![\w.])eval(?:\(|\s+["'\w])|\b(?:instance|class|module)_eval\b|\bMarshal\.load\b|\bYAML\.(?:unsafe_load|load)\b|\.constantize\b|\.(?:public_)?send\(\s*params\b/,
    where: isRuby,
  },
  {
    name: 'runs-text',
    pattern: /(?<![\w>:$])(?:eval|create_function|unserialize)\s*\(|\bassert\s*\(\s*["'$]/,
    where: isPhp,
  },
  {
    name: 'runs-text',
    pattern:
      /\b(?:BinaryFormatter|SoapFormatter|LosFormatter|NetDataContractSerializer)\b|\bCSharpScript\.|TypeNameHandling\.(?:All|Auto|Objects)/,
    where: isDotnet,
  },
  {
    name: 'runs-text',
    pattern: /\bnew\s+ObjectInputStream\b|\bObjectInputStream\(|\bGroovyShell\b|\benableDefaultTyping\(/,
    where: isJvm,
  },
  { name: 'dynamic-import', pattern: /\b(?:include|require)(?:_once)?\s*\(?\s*\$/, where: isPhp },
  { name: 'dynamic-import', pattern: /(?<![\w.])(?:require|load)(?:_relative)?[\s(]+(?!["'(\s])[a-z_]/, where: isRuby },
  { name: 'dynamic-import', pattern: /\bdlopen\s*\(|\bLoadLibrary[AW]?\s*\(/, where: isC },
  { name: 'dynamic-import', pattern: /\bAssembly\.(?:Load\w*|UnsafeLoadFrom)\(/, where: isDotnet },
  {
    name: 'network-call',
    pattern:
      /\bNet::(?:HTTP|FTP|SMTP|SSH)\b|\b(?:URI|OpenURI)\.open\b|\b(?:HTTParty|Faraday|RestClient|Typhoeus|Excon)\b|\b(?:TCPSocket|UDPSocket)\.\w/,
    where: isRuby,
  },
  {
    name: 'network-call',
    pattern:
      /\b(?:file_get_contents|fopen|readfile)\s*\(\s*["'](?:https?|ftp):|\b(?:fsockopen|stream_socket_client|socket_connect|curl_exec)\s*\(|\bGuzzleHttp\\|\bmail\s*\(/,
    where: isPhp,
  },
  {
    name: 'network-call',
    pattern:
      /\bcurl_easy_(?:init|perform)\s*\(|(?<![\w.>])(?:socket\s*\(\s*(?:AF|PF)_|connect\s*\(\s*\w*(?:sock|fd)\w*\s*,)/i,
    where: isC,
  },
  {
    name: 'network-call',
    pattern: /\bnew\s+(?:WebClient|TcpClient|UdpClient|SmtpClient|Socket)\b|\bWebRequest\.Create/,
    where: isDotnet,
  },
  {
    name: 'network-call',
    pattern:
      /\.openConnection\(|\bHttpURLConnection\b|\bnew\s+(?:Socket|DatagramSocket)\(|\b(?:OkHttpClient|RestTemplate|WebClient)\b/,
    where: isJvm,
  },
  { name: 'raw-html', pattern: /\.html_safe\b|(?<![\w.])raw[\s(]|<%==/, where: isRuby },
  {
    name: 'raw-html',
    pattern: /\b(?:echo|print)\b[^;]{0,200}\$_(?:GET|POST|REQUEST|COOKIE)\b|\{!!/,
    except: /htmlspecialchars|htmlentities|\be\(/,
    where: isPhp,
  },
  { name: 'raw-html', pattern: /\bHtml\.Raw\(|\bMarkupString\b/, where: isDotnet },
  { name: 'raw-html', pattern: /\btemplate\.(?:HTML|JS|URL)\(/, where: (path) => path.endsWith('.go') },
  {
    name: 'query-from-parts',
    pattern:
      /["'`]\s*(?:select\b[^"'`]{1,200}\bfrom\b|insert\s+into\b|update\s+[\w.{}$#]{1,80}\s+set\b|delete\s+from\b)[^"'`]{0,200}(?:#\{|\{\$?[a-z_]\w*[}.([]|\$\{|\$[a-z_]\w*|["'`]\s{0,5}(?:\.|\+|<<|%)\s{0,5}[$\w(])/i,
    where: isQueried,
  },
  { name: 'removes-files', pattern: /\bDirectory\.Delete\([^)]{1,200},\s*true/, where: isDotnet },
  {
    name: 'removes-files',
    pattern: /\bFileUtils\.(?:deleteDirectory|cleanDirectory|forceDelete)\(|\.deleteRecursively\(/,
    where: isJvm,
  },
  { name: 'removes-files', pattern: /\bremove_all\s*\(/, where: isC },
  {
    name: 'environment-read',
    pattern: /\bENV\.(?:to_h|to_a|inspect|each|map)\b|\bENV\b\s*\.\s*to_json/,
    where: isRuby,
  },
  {
    name: 'environment-read',
    pattern: /\bgetenv\(\s*\)|\b(?:print_r|var_dump|json_encode|serialize)\(\s*\$_(?:ENV|SERVER)\b/,
    where: isPhp,
  },
  { name: 'environment-read', pattern: /\bEnvironment\.GetEnvironmentVariables\(\s*\)/, where: isDotnet },
  { name: 'environment-read', pattern: /\bSystem\.getenv\(\s*\)/, where: isJvm },
  { name: 'environment-read', pattern: /\bos\.Environ\(\)/, where: (path) => path.endsWith('.go') },
]

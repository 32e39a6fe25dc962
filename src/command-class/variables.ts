/** Variables that can change what the shell, or a program it starts, runs. */
const DECISIVE =
  /^(?:PATH|IFS|ENV|HOME|SHELL|SHELLOPTS|CDPATH|PS[0-4]|PROMPT_COMMAND|.*PAGER.*|.*EDITOR|VISUAL|BROWSER|EXINIT|VIMINIT|XDG_.*|TMPDIR|ZDOTDIR|DISPLAY)$|^(?:BASH|LD_|DYLD_|GIT_|LESS|MAN|NODE_(?!ENV$)|npm_|NPM_|YARN_|COREPACK|PYTHON(?!UNBUFFERED$|DONTWRITEBYTECODE$)|PERL|RUBY|LUA_|JAVA_|JDK_|_JAVA|MAVEN|GRADLE|CLASSPATH|MAKE|GNUMAKE|CC$|CXX|LD$|CFLAGS|RUST(?!_BACKTRACE$|_LOG$)|CARGO|GO[A-Z]|SSH_|SUDO_|TAR_|ZIP|GZIP|XZ_|RIPGREP|FZF|BAT_|GREP|POSIX|DOCKER|KUBE|AWS|https?_proxy|HTTPS?_PROXY|all_proxy|ALL_PROXY|ESCROW_)/i

/** Variables that change presentation or verbosity only. */
const HARMLESS =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|CI|TERM|COLUMNS|LINES|NODE_ENV|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|DEBUG|VERBOSE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|RUST_BACKTRACE|RUST_LOG)$/

/** The risk of setting a variable. `perilous`: it can run other code. `open`: a program may behave differently from its rule. */
export function riskOf(name: string): 'none' | 'open' | 'perilous' {
  if (HARMLESS.test(name)) return 'none'
  return DECISIVE.test(name) || !/^[A-Za-z_]\w*$/.test(name) ? 'perilous' : 'open'
}

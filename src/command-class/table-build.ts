import { on, onWord, type Rule, rowsFor, type Table, table } from './rule.js'

/** Package managers, compilers, linters and test runners. */

const BUILDS = 'builds or tests the project'
const READS = 'only reads'
const INSTALLS = 'downloads packages'
const PUBLISHES = 'publishes a package'
const UNKNOWN = 'is a command with unknown effects'

function tool(name: string, values: string, flags: string, bare: Rule, subcommands: Table): ReturnType<typeof rowsFor> {
  return rowsFor(name, 'other', UNKNOWN, { subcommands: { values, flags, table: subcommands, bare } })
}

const HELP: Rule = { is: 'read-only', does: READS }
const INSTALL: Rule = { is: ['network', 'write'], does: INSTALLS }
const script: Pick<Rule, 'own'> = { own: 'runner' }

const NODE_COMMANDS = table(
  rowsFor('test t tst build', 'build-test', BUILDS),
  rowsFor('run run-script rum', 'build-test', BUILDS, script),
  rowsFor('start stop restart', 'other', 'starts a program of the project'),
  rowsFor(
    'install i in isntall add ci clean-install install-test it update up upgrade audit dedupe import link fetch create init exec x dlx rebuild',
    ['network', 'write', 'other'],
    INSTALLS,
  ),
  rowsFor('install i add ci clean-install update up upgrade dedupe link fetch', ['network', 'write'], INSTALLS),
  rowsFor(
    'audit outdated view info show v search ping whoami login logout adduser token owner access profile team dist-tag star fund doctor',
    'network',
    'contacts a registry',
  ),
  rowsFor('unpublish deprecate', ['destructive', 'network'], 'removes a published package'),
  rowsFor('publish', ['destructive', 'network'], PUBLISHES),
  rowsFor('uninstall un unlink remove rm r prune', ['destructive', 'write'], 'removes packages'),
  rowsFor('ls list ll la why explain root prefix bin help', 'read-only', READS),
  rowsFor('cache', 'write', 'changes the cache', {
    additions: [onWord(/^(?:clean|clear|rm|delete)$/, 'destructive', 'deletes the cache')],
  }),
  rowsFor('pack version', ['write', 'other'], 'runs scripts of the project'),
)

const CARGO = table(
  rowsFor('build b check c test t bench clippy fmt doc d', 'build-test', BUILDS, {
    additions: [on('--config', 'other', UNKNOWN)],
  }),
  rowsFor('version help locate-project verify-project read-manifest', 'read-only', READS, {
    additions: [on('--config', 'other', UNKNOWN)],
  }),
  rowsFor(
    'tree metadata pkgid fetch update install add search login generate-lockfile vendor',
    ['network', 'write'],
    INSTALLS,
  ),
  rowsFor('publish yank owner', ['destructive', 'network'], PUBLISHES),
  rowsFor('clean remove rm uninstall', 'destructive', 'deletes files'),
)

const GO = table(
  rowsFor('build test vet fmt list doc', 'build-test', BUILDS, {
    additions: [on('-exec -toolexec -vettool', 'other', UNKNOWN)],
  }),
  rowsFor('version env help', 'read-only', READS, { additions: [on('-w -u', 'write', 'changes settings')] }),
  rowsFor('get install mod work', ['network', 'write'], INSTALLS),
  rowsFor('clean', 'destructive', 'deletes files'),
)

const PIP = table(
  rowsFor('install download wheel', ['network', 'write'], INSTALLS),
  rowsFor('list show freeze check help debug', 'read-only', READS, {
    additions: [on('-o --outdated -u --uptodate', 'network', 'contacts a registry')],
  }),
  rowsFor('uninstall', 'destructive', 'removes packages'),
  rowsFor('search index', 'network', 'contacts a registry'),
  rowsFor('cache config', 'write', 'changes settings or the cache'),
)

const DOCKER = table(
  rowsFor('ps images logs inspect version info top stats port history events diff', 'read-only', READS),
  rowsFor('pull login logout search', 'network', 'contacts a registry'),
  rowsFor('push', ['destructive', 'network'], 'publishes an image'),
  rowsFor(
    'build run exec start create compose cp commit tag load save buildx',
    ['other', 'network'],
    'starts programs on other machines or in containers',
  ),
  rowsFor(
    'rm rmi kill stop prune system volume network container image',
    'destructive',
    'removes or ends containers, images or volumes',
  ),
)

export const BUILD = table(
  tool(
    'npm',
    '--prefix -w --workspace -C --dir --filter -F --cwd',
    '-s --silent -q --quiet -v --version --help -h --workspaces -ws -r --recursive',
    HELP,
    NODE_COMMANDS,
  ),
  tool('pnpm', '-C --dir --filter -F -w', '-s --silent -v --version --help -r --recursive', HELP, NODE_COMMANDS),
  tool('yarn', '--cwd', '-s --silent -v --version --help', INSTALL, NODE_COMMANDS),
  tool('bun', '--cwd', '--silent -v --version --help', HELP, NODE_COMMANDS),
  tool(
    'cargo',
    '--manifest-path --color',
    '-q --quiet -v --verbose --offline --locked --frozen --version -V --help',
    HELP,
    CARGO,
  ),
  tool('go', '', '', HELP, GO),
  ...['pip', 'pip3', 'pipx'].map((name) => tool(name, '', '-q --quiet -v --version -V --help', HELP, PIP)),
  ...['docker', 'podman', 'nerdctl'].map((name) => tool(name, '', '--version -v --help', HELP, DOCKER)),
  rowsFor('npx bunx pnpx uvx', ['network', 'other'], 'may download a program and run it', {
    own: 'runner',
  }),
  rowsFor(
    'tsc vitest jest mocha ava tap c8 nyc eslint biome prettier oxlint tslint stylelint playwright cypress vue-tsc pytest tox nox mypy pyright ' +
      'ruff black isort flake8 pylint bandit unittest rustfmt gofmt golangci-lint rubocop phpunit phpstan shellcheck hadolint ' +
      'yamllint markdownlint ctest clang-format clang-tidy rspec',
    'build-test',
    BUILDS,
    { additions: [onWord(/^install$/, ['network', 'write'], INSTALLS)] },
  ),
  rowsFor(
    'tsup esbuild rollup vite webpack swc turbo nx lerna coverage gcc g++ cc c++ clang clang++ ld as cmake ninja ' +
      'meson rustc javac kotlinc scalac dotnet gradle gradlew mvn mvnw ant sbt bazel buck rake swift swiftc xcodebuild zig ghc cabal stack mix elixirc',
    'build-test',
    BUILDS,
    {
      additions: [
        onWord(/^(?:clean|distclean|purge)$/, 'destructive', 'deletes build output'),
        onWord(/^(?:publish|deploy|release|push|uploadArchives)$|[pP]ublish/, ['destructive', 'network'], PUBLISHES),
        onWord(/^(?:install|restore|add|get|download|update|upgrade|dlx|exec|run|start)$/, 'other', UNKNOWN),
      ],
    },
  ),
  rowsFor('make gmake just task', 'build-test', BUILDS, {
    additions: [
      on('-f --file --makefile --eval -C --directory -I --include-dir -E', 'other', 'uses another file'),
      onWord(
        /clean|purge|reset|destroy|wipe|drop|delete|remove|uninstall|nuke/i,
        'destructive',
        'deletes build output',
      ),
      onWord(/publish|deploy|release|push|upload/i, ['destructive', 'network'], PUBLISHES),
      onWord(/install|fetch|download|deps|vendor|update/i, ['network', 'write'], INSTALLS),
      onWord(
        /^(?!(?:all|build|test|tests|check|lint|format|fmt|typecheck|compile|coverage|docs?|bench)$)/,
        'other',
        UNKNOWN,
      ),
    ],
  }),
  rowsFor(
    'apt apt-get aptitude yum dnf apk pacman brew port zypper snap flatpak nix nix-env choco winget scoop gem bundle bundler composer conda mamba poetry uv pipenv easy_install cpan cabal-install opam luarocks vcpkg conan mise asdf nvm volta rustup sdk',
    ['network', 'write', 'other'],
    INSTALLS,
    {
      additions: [
        onWord(
          /^(?:remove|purge|autoremove|erase|uninstall|cleanup|clean|del|prune|yank)$/,
          'destructive',
          'removes packages',
        ),
        onWord(/^(?:publish|push)$/, 'destructive', PUBLISHES),
      ],
    },
  ),
  rowsFor(
    'twine vsce ovsx semantic-release release-it np changeset lerna-publish goreleaser gh-release',
    ['destructive', 'network'],
    PUBLISHES,
  ),
  rowsFor(
    'python python2 python3 pypy pypy3 node nodejs deno ts-node tsx ruby perl php lua luajit Rscript R julia java scala groovy osascript pwsh powershell tclsh expect guile sbcl racket ocaml erl elixir iex irb ghci sqlite',
    'other',
    'runs a program of its own',
    { own: 'runner' },
  ),
)

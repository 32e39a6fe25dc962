/** What the constants of the sources hold calls to, in the reader's words. The values are read from the sources. */

export type Unit = 'bytes' | 'milliseconds' | 'count'

/** `file#NAME` → its unit, and what it bounds. */
export type Limits = Readonly<Record<string, readonly [unit: Unit, what: string]>>

export const CALLS: Limits = {
  'overlay/layer.ts#MAX_FILE_SIZE': [
    'bytes',
    'size of a staged file, also after a chmod or a rename; beyond it `EFBIG`',
  ],
  'overlay/path.ts#NAME_MAX': ['bytes', 'one file name; beyond it `ENAMETOOLONG`'],
  'overlay/path.ts#PATH_MAX': ['bytes', 'a path argument; beyond it `ENAMETOOLONG`'],
  'overlay/resolve.ts#MAX_LINKS': ['count', 'symbolic links while resolving a path; beyond it `ELOOP`'],
  'src/stage/opened-stage.ts#MEMORY': [
    'bytes',
    'staged content in memory (option `memory`); the rest is kept in files',
  ],
  'src/commit/journal.ts#UNDO_COMMITS': ['count', 'commits that can be undone (`limits.undo_commits`)'],
  'overlay/tick.ts#LONGEST_MS': [
    'milliseconds',
    'until policy and intents are checked again within one turn of the event loop',
  ],
  'src/fs/fairness.ts#BUDGET_MS': [
    'milliseconds',
    'for which promises of `session.fs` resolve in a row; then timers and I/O run',
  ],
  'overlay/digest.ts#PART': ['bytes', 'digested or stored in one turn of the event loop by asynchronous calls'],
  'src/fs/kernel-fd.ts#LONGEST_READ': [
    'bytes',
    '`readFile` of a descriptor, as in Node; beyond it `ERR_FS_FILE_TOO_LARGE`',
  ],
  'src/fs/fairness.ts#AT_ONCE': ['count', 'waiting promises that resolve in one turn'],
  'overlay/base.ts#MERGE_LIMIT': ['bytes', 'size of a file whose content is kept for a merge'],
  'src/fs/judge-move.ts#LOOKED_AT': [
    'count',
    'entries checked before a directory moves; the rest are checked at the commit',
  ],
  'src/fs/view.ts#LARGE': ['bytes', 'size of a file on disk that an asynchronous call reads at once'],
  'src/stage/content-lock.ts#LARGE': ['bytes', 'from this size on, opening a file counts as reading it'],
  'src/policy/chain.ts#READ_GRACE_MS': [
    'milliseconds',
    'age of the loaded `policy.yaml` for a read; a write always uses the newest',
  ],
  'overlay/resolve.ts#FRESH_MS': ['milliseconds', 'for which a read trusts a directory of the disk to be unchanged'],
  'src/fs/change-feed.ts#GATHER_MS': ['milliseconds', 'within which events of the disk are merged'],
  'src/stage/declarations.ts#KEPT': ['count', 'tool calls of a session whose declared mutation class is kept'],
  'src/workspace/workspace.ts#BUSY_WAIT_MS': ['milliseconds', 'wait for a session that another process holds'],
  'src/exec/proposed-commits.ts#MAX_COMMITS': ['count', 'git commits of one program kept as proposals'],
  'src/exec/proposed-commits.ts#TIMEOUT_MS': ['milliseconds', "for git to list a program's commits"],
  'src/terminal/network/proxy.ts#MAX_REFUSED': ['count', 'refused addresses listed for a command'],
  'src/inbox/ask-owner.ts#TIMEOUT_MS': [
    'milliseconds',
    "wait of a hook for reviewers' messages from the session's owner",
  ],
  'src/terminal/client-home.ts#WAIT_MS': [
    'milliseconds',
    'wait of a client for state that another of its kind uses; then it does not start',
  ],
  'src/os/lock.ts#WAIT_MS': ['milliseconds', 'wait of a commit for another one; then it fails'],
}

export const FILES: Limits = {
  'src/os/yaml-problem.ts#MAX_YAML_BYTES': ['bytes', '`policy.yaml`, the intents, a template'],
  'src/os/yaml-scan.ts#MAX_DEPTH': ['count', 'nesting levels in them; anchors, aliases and tags are refused'],
  'src/core/globs.ts#MAX_GLOBS': ['count', 'globs of one intent'],
  'src/core/globs.ts#MAX_GLOB_LENGTH': ['count', 'characters of a glob'],
  'src/core/globs.ts#MAX_ALTERNATIVES': ['count', 'alternatives from the braces of a glob'],
  'src/core/globs.ts#MAX_STARS': ['count', '`*` in one segment of a glob, and `**` in a glob'],
  'src/terminal/client-home.ts#MAX_COPIED': ['bytes', "a client's file that is copied next to its state"],
  'src/inbox/owner-socket.ts#MAX_PATH_BYTES': ['bytes', "the path of a session's socket"],
  'src/intents/ignore.ts#MAX_BYTES': ['bytes', '`.intentignore`'],
  'src/intents/templates.ts#MAX_TEMPLATES': ['count', 'templates of a workspace'],
  'src/session/agent.ts#MAX_NAME_LENGTH': ['count', "characters of a client's or model's name; the rest is cut"],
  'src/session/lessons.ts#MAX_BYTES': ['bytes', 'a lesson'],
  'src/history/trace-context.ts#MAX_TOTAL_BYTES': ['bytes', "an intent's history as given to an agent"],
  'src/history/trace-context.ts#MAX_ENTRIES': ['count', 'changes in it'],
  'src/history/trace-context.ts#MAX_FILES': ['count', 'files in it'],
  'src/history/trace-context.ts#MAX_LESSONS': ['count', 'lessons in it'],
  'src/client-settings/files.ts#MAX_BYTES': ['bytes', "a client's settings that `escrow init` can change"],
  'src/client-settings/foreign.ts#MAX_VALUE_LENGTH': [
    'count',
    "characters that `escrow doctor` shows of a client's setting",
  ],
  'src/client-settings/foreign.ts#MAX_FILES': [
    'count',
    "entries of a client's settings directory that `escrow doctor` reads",
  ],
  'src/os/git.ts#MAX_BYTES': ['bytes', 'a git file that is read for a name'],
  'src/trace/vcs.ts#MAX_BYTES': ['bytes', 'a git file that is read for a revision'],
}

export const REVIEW: Limits = {
  'src/review/diff.ts#COMPARE_LIMIT': ['bytes', 'a file compared or merged by lines; a larger one is a single hunk'],
  'src/review/diff.ts#SHOW_LIMIT': ['bytes', 'a file that is shown'],
  'src/review/diff.ts#EDIT_LIMIT': ['count', 'changed lines; with more, the file is a single hunk'],
  'src/review/merge.ts#STEP_LIMIT': ['count', 'steps of a merge; with more, it is a conflict'],
  'src/review/glob.ts#LENGTH': ['count', 'characters of a glob that selects changes'],
  'src/review/glob.ts#STARS_PER_SEGMENT': ['count', '`*` in one segment of it'],
  'src/review/highlight.ts#TEXT_LIMIT': ['count', 'characters of a highlighted text'],
  'src/review/highlight.ts#LINE_LIMIT': ['count', 'characters of a highlighted line'],
  'src/review/highlight.ts#TIME_LIMIT_MS': ['milliseconds', 'for highlighting a text'],
  'src/review/word-diff.ts#LINE_LIMIT': ['count', 'characters of a line whose words are compared'],
  'src/review/word-diff.ts#RUN_LIMIT': ['count', 'consecutive lines whose words are compared'],
  'src/risk/changed.ts#MAX_BYTES': ['bytes', 'a file that is searched for risks; a larger one has the fact `opaque`'],
  'src/risk/reading.ts#MAX_TEXT': ['count', 'characters of code that is parsed for risks'],
  'src/risk/facts-of.ts#TEXT_BUDGET': ['bytes', 'both sides of all changes that are searched for risks'],
  'src/risk/facts-of.ts#PARSE_BUDGET': ['count', 'characters of both sides that are parsed for risks'],
  'src/risk/facts.ts#MOST_OF_A_NAME': ['count', 'facts of one name about a file'],
  'src/cli/review/typing.ts#TEXT_LIMIT': ['count', 'characters of a reason typed in the terminal'],
  'src/cli/render-diff.ts#LINE_LIMIT': ['count', 'characters of a line in `escrow diff`'],
  'src/web/lines.ts#MAX_LINE_LENGTH': ['count', 'characters of a line on the page'],
  'src/web/files.ts#MAX_EDITABLE_BYTES': ['bytes', 'a text that can be edited on the page'],
  'src/web/app.ts#MAX_BODY_BYTES': ['bytes', "a request to the page's server"],
  'src/web/serve.ts#MAX_CONNECTIONS': ['count', "connections to the page's server"],
  'src/web/change-events.ts#MAX_LISTENERS': ['count', 'open pages'],
  'src/web/guard.ts#TICKET_MS': ['milliseconds', 'for a started browser to connect'],
}

export const LEDGER: Limits = {
  'src/commit/journal.ts#KEPT_PLANS': ['count', 'commits whose plans are kept; an older stage has drifted'],
  'src/stage/ledger-outbox.ts#MAX_WHY': ['count', "characters kept of an agent's reason for a tool call"],
  'src/trace/work-events.ts#MAX_READ': [
    'bytes',
    'of the end of the ledger that a review reads for reasons and commands',
  ],
  'src/review/last-look.ts#LONGEST': [
    'bytes',
    'a record of what reviewers saw last; a larger one marks everything as new',
  ],
  'src/trace/lines.ts#MAX_LINE': ['bytes', 'a ledger line; a larger commit has several'],
  'src/trace/chain.ts#MAX_SIDES': ['count', 'open branches of a merged ledger'],
  'src/trace/record-file.ts#MODEL_MAX': ['count', "characters of a model's name"],
  'src/trace/attribution.ts#DIFF_BYTES': ['bytes', 'a file with line ranges in the ledger'],
  'src/trace/attribution.ts#FOLLOWED_LINES': ['count', 'lines of a file that blame follows'],
  'src/trace/line-hunks.ts#SEARCHED_LINES': ['count', 'lines searched for moved ones'],
  'src/trace/line-hunks.ts#DIFF_EDITS': ['count', 'changed lines; with more, the change is a single range'],
  'src/change-class/classify.ts#MAX_BYTES': ['bytes', 'a file whose mutation class is measured'],
  'src/change-class/measure.ts#BUDGET': ['bytes', 'sources measured for one commit; the rest is unverified'],
  'src/trace/intent-map/ast-nodes.ts#MAX_BYTES': ['bytes', 'a file whose functions and classes the intent map lists'],
  'src/trace/intent-map/document.ts#MAX_NODES': ['count', 'functions and classes listed for a file'],
  'src/history/intent-map.ts#MAX_MAP': ['bytes', '`intent_map.md`'],
  'src/os/tree.ts#MAX_NODES': ['count', 'nodes of a syntax tree'],
  'src/os/tree.ts#MAX_DEPTH': ['count', 'levels of a syntax tree'],
}

export const COMMANDS: Limits = {
  'src/client-settings/probe.ts#TIMEOUT_MS': ['milliseconds', "for a client's hook to answer `escrow doctor`"],
  'src/exec/background-command.ts#MAX_REFUSED': [
    'count',
    'refused writes reported one by one to an agent inside `escrow run`',
  ],
  'src/inbox/mount-feedback.ts#MAX_FILE_BYTES': [
    'bytes',
    "undelivered reviewers' messages for an agent inside `escrow run`",
  ],
  'src/intents/criteria.ts#MAX_TIMEOUT': ['count', 'seconds of a check'],
  'src/intents/criteria.ts#MAX_CHECKS': ['count', 'checks of an intent'],
  'src/acceptance/check-run.ts#DEFAULT_TIMEOUT': ['count', 'seconds of a check without `timeout`'],
  'src/acceptance/check-run.ts#VERSIONS_TIMEOUT': [
    'milliseconds',
    'for the programs of a check to print their versions',
  ],
  'src/acceptance/evidence.ts#MAX_KEPT': ['count', 'runs of checks kept for a session'],
  'src/acceptance/kept-output.ts#HEAD': ['bytes', "the beginning of a check's output that is kept"],
  'src/acceptance/kept-output.ts#TAIL': ['bytes', "the end of a check's output that is kept"],
  'src/acceptance/mask.ts#MAX_FILE': ['bytes', 'a secret file whose values are masked in the output of checks'],
  'src/acceptance/mask.ts#MAX_FILES': ['count', 'files of a secret directory whose values are masked'],
  'src/terminal/denial-spool.ts#MAX_SPOOLED': [
    'count',
    'refusals of a mount with their own record; the rest are counted in one record',
  ],
  'src/terminal/command-io.ts#PROCESSES': ['count', 'processes of a command; with more, it is killed'],
  'src/terminal/command-io.ts#MAX_KEPT': ['bytes', 'each output stream of `session.exec`; the rest is dropped'],
  'src/exec/background-command.ts#MAX_OUTPUT': ['bytes', 'newest output of a background command'],
  'src/exec/background-command.ts#GRACE_MS': [
    'milliseconds',
    'for a stopped command to exit before SIGKILL, by default',
  ],
  'src/exec/commands.ts#MAX_RUNNING': ['count', 'background commands of a session'],
  'src/exec/commands.ts#MAX_ENDED': ['count', 'ended background commands that are still listed'],
  'src/terminal/command-place.ts#LAYER_BYTES': ['bytes', 'unstaged files of commands'],
  'src/terminal/effects.ts#MAX_DEPTH': ['count', 'nested directories that a command leaves'],
  'src/terminal/quarantine.ts#MAX_CONTENT': ['bytes', 'content in the quarantine for one command'],
  'src/embed/command-outputs.ts#MAX_KEPT': ['count', 'long outputs kept for a session'],
  'src/exec/format.ts#BUDGET_MS': ['milliseconds', 'for all formatters after a tool call'],
  'src/command-class/classify.ts#MAX_LINE': ['count', 'characters of a classified line; a longer one is `other`'],
  'src/command-class/classify.ts#MAX_DEPTH': ['count', 'nested shells; with more, the line is `other`'],
  'src/command-class/judge.ts#MAX_LAYERS': ['count', 'nested wrappers; with more, the line is `other`'],
  'src/terminal/secret-variables.ts#MAX_VALUE': ['bytes', 'a variable that is searched for a secret'],
  'src/core/shell-api.ts#MAX_SHELL_LINE': ['count', 'characters of a line that `escrow-sh` runs'],
}

export const CLIENTS: Limits = {
  'src/client-settings/texts.ts#HOOK_TIMEOUT_SECONDS': [
    'count',
    "seconds for a hook's command, if the system has `timeout`",
  ],
  'src/client-settings/switches.ts#MAX_BYTES': ['bytes', "a client's settings that `escrow doctor` reads"],
  'src/inbox/known-texts.ts#MAX_CONVERSATIONS': [
    'count',
    'conversations for which escrowfs remembers the intent text already sent',
  ],
  'src/inbox/known-texts.ts#MAX_BYTES': ['bytes', 'the file that stores this'],
  'src/cli/hook-answer.ts#MAX_EVENT_BYTES': ['bytes', 'an event of `escrow hook`'],
  'src/cli/hook-answer.ts#DEADLINE_MS': ['milliseconds', 'for its answer; then the tool is blocked'],
  'src/agents/claude/http.ts#PATIENCE': ['milliseconds', 'for the answer of a served hook'],
  'src/agents/cline/answer.ts#MAX_CONTEXT': ['count', "characters of a message to Cline's model"],
  'src/agents/mcp/stdio.ts#MAX_MESSAGE_BYTES': ['bytes', 'a message of `escrow mcp`'],
  'src/agents/mcp/http-clients.ts#MAX_BODY_BYTES': ['bytes', 'a message of `escrow mcp` over HTTP'],
  'src/agents/mcp/http-clients.ts#MAX_CLIENTS': ['count', 'HTTP clients at one time'],
  'src/agents/mcp/elicit.ts#TIMEOUT_MS': ['milliseconds', "for a question on a client's screen"],
  'src/agents/mcp/globs.ts#TIME_MS': ['milliseconds', 'for pattern matching in a call'],
  'src/agents/mcp/globs.ts#MAX_LENGTH': ['count', 'characters of a pattern'],
  'src/agents/mcp/globs.ts#MAX_BRACES': ['count', 'braces in a pattern'],
  'src/agents/mcp/search-tree.ts#MAX_ENTRIES': ['count', 'entries of a tree or a search'],
  'src/agents/mcp/list-directories.ts#MAX_ENTRIES': ['count', 'entries of a directory in one answer'],
  'src/agents/mcp/execute-command.ts#MAX_STREAM_CHARACTERS': ['count', "characters of a command's output"],
  'src/agents/mcp/resources.ts#MAX_LISTED': ['count', 'staged files listed as resources'],
  'src/agents/acp/lines.ts#MAX_LINE_BYTES': ['bytes', 'a message of `escrow acp`'],
  'src/agents/acp/serve.ts#MAX_BUFFERED_BYTES': ['bytes', 'queued for an agent that does not read'],
  'src/agents/acp/files.ts#BUFFER_TIMEOUT_MS': ['milliseconds', 'for the editor to return a buffer'],
  'src/agents/acp/terminals.ts#MAX_OUTPUT_BYTES': ['bytes', 'output of an editor terminal, by default'],
  'src/agents/roo/list-files.ts#LIMIT': ['count', 'entries of `list_files`, as in Roo'],
  'src/agents/roo/read-arguments.ts#DEFAULT_LINES': ['count', 'lines of `read_file`, by default'],
  'src/agents/roo/read-command-output.ts#LIMIT': ['bytes', 'output of one `read_command_output`'],
  'src/agents/roo/execute-command.ts#MAX_KEPT_BYTES': ['bytes', 'output kept for a command'],
  'src/agents/roo/search-files.ts#RESULTS': ['count', 'results of `search_files`'],
  'src/agents/roo/search-files.ts#FILE_BYTES': ['bytes', 'a file that `search_files` reads'],
  'src/agents/roo/search-files.ts#TIME_MS': ['milliseconds', 'for a search pattern'],
}

export const ALL: Limits = { ...CALLS, ...FILES, ...REVIEW, ...LEDGER, ...COMMANDS, ...CLIENTS }

// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel

/// Help topics that concern all commands.
enum Topics {
  static let files = [
    HelpRow("$XDG_CONFIG_HOME/oppi/config.json", "Settings, JSON with comments"),
    HelpRow("$XDG_CONFIG_HOME/oppi/servers.json", "The paired servers, without their tokens"),
    HelpRow(
      "$XDG_STATE_HOME/oppi/credentials.json",
      "This machine's keys and tokens; the mode must be 0600"
    ),
    HelpRow(
      "$XDG_STATE_HOME/oppi/access-tokens.json",
      "The access tokens of today's servers, valid for minutes; the mode must be 0600"
    ),
    HelpRow("$XDG_STATE_HOME/oppi/dialects.json", "The detected dialect of each server"),
    HelpRow(
      "$XDG_STATE_HOME/oppi/launch-target.json",
      "The launch target, from 'oppi new' for 'oppi launch'"
    ),
    HelpRow(
      "$XDG_STATE_HOME/oppi/history.jsonl",
      "The last workspace and session, and earlier prompts unless 'history' is false"
    ),
    HelpRow(
      "$XDG_STATE_HOME/oppi/decisions.jsonl",
      "The decisions and answers that this machine sent, for 'oppi approvals log'"
    ),
    HelpRow(
      "$XDG_STATE_HOME/oppi/shown-requests.json",
      "Which requests were shown in full, so that a changed one is not approved unseen"
    ),
    HelpRow("$XDG_STATE_HOME/oppi/outbox/", "Queued prompts"),
    HelpRow(
      "$XDG_CONFIG_HOME/oppi/shortcuts/NAME.json",
      "A shortcut, JSON with comments; NAME.txt contains a prompt of several lines"
    ),
    HelpRow("$XDG_STATE_HOME/oppi/shortcut-sessions.json", "Sessions that shortcuts continue"),
    HelpRow(
      "$XDG_STATE_HOME/oppi/chat-history.json",
      "Messages sent in chats, for Up and Ctrl-R, unless 'history' is false"
    ),
    HelpRow("$XDG_STATE_HOME/oppi/spending.json", "Costs of workspaces that have a budget"),
    HelpRow("$XDG_STATE_HOME/oppi/conditions.json", "Outputs for which shortcuts last ran"),
    HelpRow("$XDG_STATE_HOME/oppi/recent-picks.json", "Recent choices in 'oppi pick'"),
    HelpRow("$XDG_STATE_HOME/oppi/setup.json", "The files that 'oppi setup' installed"),
    HelpRow(
      "$XDG_STATE_HOME/oppi/escalations.json",
      "The steps that 'oppi watch' took for pending requests"
    ),
    HelpRow(
      "$XDG_STATE_HOME/oppi/schedules/",
      "Schedules of shortcuts, and their last runs"
    ),
    HelpRow(
      "$XDG_STATE_HOME/oppi/schedule-requests/",
      "Runs of servers' schedules that were requested without an answer"
    ),
    HelpRow("$XDG_CACHE_HOME/oppi/workspaces.json", "The cached list of workspaces"),
    HelpRow("$XDG_CACHE_HOME/oppi/sessions.json", "The cached list of sessions, for completion"),
    HelpRow("$XDG_CACHE_HOME/oppi/models.json", "The cached list of models, for completion"),
    HelpRow("$XDG_CACHE_HOME/oppi/turns.json", "Cached outcomes of turns"),
    HelpRow(
      "$XDG_RUNTIME_DIR/oppi/status.json",
      "The status snapshot of 'oppi watch'; in the state folder if XDG_RUNTIME_DIR is not set"
    ),
    HelpRow("$XDG_RUNTIME_DIR/oppi/link.json", "A link to confirm, for 90 s"),
  ]

  static let environment = [
    HelpRow("OPPI_WORKSPACE", "The default workspace, if -w is not given"),
    HelpRow("PWD", "The current folder with its symbolic links, for 'oppi config here'"),
    HelpRow("OPPI_SERVER", "The server to use if --server is not given"),
    HelpRow("CREDENTIALS_DIRECTORY", "The folder of systemd credentials, for oppi-SERVER"),
    HelpRow("HTTPS_PROXY, ALL_PROXY", "The proxy for https servers: http:// or socks5://"),
    HelpRow("NO_PROXY", "Hosts to connect to without the proxy"),
    HelpRow(
      "SSL_CERT_DIR, SSL_CERT_FILE",
      "Certificate authorities for servers that are not pinned"
    ),
    HelpRow(
      "VISUAL, EDITOR",
      "The editor for Ctrl-G in chat, 'oppi pick --edit' and 'oppi shortcuts edit'"
    ),
    HelpRow(
      "PAGER, LESS",
      "The pager of long help on a terminal, default less, and its options, default FRX"
    ),
    HelpRow(
      "TERMINAL",
      "The terminal program for new windows, with optional arguments; xdg-terminal-exec comes first"
    ),
    HelpRow(
      "WAYLAND_DISPLAY, DISPLAY",
      "The display server, which selects the menu programs for 'oppi pick'"
    ),
    HelpRow("ACCESSIBLE", "Enables the accessible mode if not empty, and disables it if 0"),
    HelpRow("OPPI_REDUCE_MOTION", "Disables animations if not empty"),
    HelpRow(
      "OPPI_PROGRAM_STATUS",
      "0 disables the status of turns in terminals that show it (OSC 7501)"
    ),
    HelpRow("NO_COLOR", "Disables colours if not empty"),
    HelpRow(
      "FORCE_HYPERLINK",
      "0 disables links in answers, 1 enables them; default: on terminals known to open them"
    ),
    HelpRow(
      "TERM",
      "The terminal type; dumb disables colours and redrawing, linux selects the Linux console's colours"
    ),
    HelpRow("COLUMNS", "The line width if the terminal does not report one"),
    HelpRow("TZ", "The time zone for 'oppi schedule'; default: /etc/localtime"),
    HelpRow("XDG_CONFIG_HOME", "The folder of settings; default: ~/.config"),
    HelpRow(
      "XDG_DATA_HOME",
      "The folder of files that 'oppi setup' installs; default: ~/.local/share"
    ),
    HelpRow("XDG_STATE_HOME", "The folder of persistent state; default: ~/.local/state"),
    HelpRow("XDG_CACHE_HOME", "The folder of caches; default: ~/.cache"),
    HelpRow("XDG_RUNTIME_DIR", "The folder of status.json; default: the state folder"),
    HelpRow("DESTDIR", "A path that 'oppi setup --prefix' prepends to each path, for packages"),
    HelpRow("DBUS_SESSION_BUS_ADDRESS", "The session bus, for the notifications of 'oppi watch'"),
    HelpRow(
      "NOTIFY_SOCKET, WATCHDOG_USEC",
      "Set by systemd for the status reports of 'oppi watch'"
    ),
  ]

  static let all = [
    commands, options, values, states, settings, shortcutFile, dialects, keys, bars, costs, checks,
    display, accessible, json,
    exitStatus,
    filesTopic, environmentTopic,
  ]

  private static let values = HelpTopic(
    name: "values",
    summary: "How durations, sessions and servers are written",
    explains: ["DURATION", "SESSION"],
    body: """
      A DURATION is a number with a unit: 500ms, 5s, 10m, 2h or 7d. A number without a unit is in \
      seconds. Fractions are allowed: 1.5h is the same as 90m. The maximum is one year.

      A SESSION is one of these:

          its id               Wq8sK2_d, as 'oppi ask' prints it
          the start of its id  Wq8s, if only one session's id starts with it
          last                 the session that was last used from this machine
          SERVER/ and an id    studio/Wq8sK2_d, or the start of the id

      An id may begin with a hyphen: write --session=-q8sK2_d, or write -- before an id that is a \
      separate argument.

      A server is specified by its name, its identity (sha256:...) or the start of its name, if \
      only one server's name starts with it. For WORKSPACE, see 'oppi help workspaces'.
      """
  )

  static let settings = HelpTopic(
    name: "settings",
    summary: "The settings in config.json",
    body: """
      The file is JSON with comments. Edit it, or use 'oppi config set NAME VALUE'. A name with \
      a dot is a member of an object: app.command is {"app": {"command": "..."}}.

      An option on the command line overrides an environment variable, and that overrides a \
      setting. An existing session keeps its model and its thinking level.

      A folder can have a default workspace ('oppi config here WORKSPACE'), and a workspace can \
      have its own settings ('oppi config set -w WORKSPACE NAME VALUE'):

          {
            "directories": {"~/src/api": "studio/api"},
            "workspaces": {
              "studio/api": {"thinking": "high", "timeout": "10m", "on-ask": "deny"}
            }
          }

      The entry for the current folder or its nearest parent applies; 'oppi config here' shows \
      it. A workspace's own settings override the settings for all workspaces, for each -w \
      separately. Its model and thinking level also apply to new sessions of 'oppi chat' and \
      'oppi launch' ('oppi launch --print' leaves the level to the other app). The key of a \
      workspace is its composite id, server/workspace, or a name that only one workspace has. \
      Each workspace may have only one entry.
      """,
    lists: [
      HelpList(
        "Settings",
        ConfigKey.all.map { HelpRow($0.name, "\($0.summary)\($0.valueNote)") }
      ),
      HelpList("Colours", ConfigKey.colors.map { HelpRow($0.name, $0.summary) }),
      HelpList("Settings of one folder or workspace", ownSettings),
    ]
  )

  private static let ownSettings =
    [HelpRow("directories.FOLDER", ConfigKey.directory("FOLDER").summary)]
    + ConfigKey.ofWorkspaces.map { key in
      HelpRow("workspaces.WORKSPACE.\(key.name)", "As \(key.name), for this workspace only")
    }

  private static let exitStatus = HelpTopic(
    name: "exit-status",
    summary: "Exit statuses and error codes",
    reference: .exitStatuses,
    body: """
      Status 75 means that the same command may succeed later: use SuccessExitStatus=75 in a \
      systemd unit, or retry in a script. After status 6 check the session first: the prompt may \
      have run. With several workspaces the first failure determines the status, except that 6 \
      takes precedence.

      With --json an error is one line on standard error. The meaning of its code never changes:

      \(errorCodes)
      """
  )

  /// The error codes with their exit statuses, one per line.
  static var errorCodes: String {
    OppiError.Code.allCases.map { "  \($0.rawValue) (\($0.status.rawValue))" }
      .joined(separator: "\n")
  }

  static let json = HelpTopic(
    name: "json",
    summary: "The output of --json",
    explains: ["--json"],
    body: """
      Most commands print one document. These print JSON lines: ask with several workspaces (one \
      line each), and, with type and at on each line, follow, status --follow, approvals list \
      --watch, watch, outbox flush, outbox retry and demo. New versions may add members but do not \
      change or remove any. Times are ISO 8601 in UTC, ages are in seconds. A path such as \
      servers[].id is a member of every element of a list. --version prints version, commit (or \
      null) and dialects.

      A command that lists things has them in a member with its own name, or that of its noun: \
      'oppi history' in history, 'oppi outbox list' in outbox, 'oppi approvals log' in log.

      These commands print chosen members as columns with --fields, in the given order and with \
      full values, separated by tabs in a pipe and aligned on a terminal, with a header. The \
      names are those below, without the name of the list: 'oppi sessions --fields \
      id,workspace.name'. A value of null is empty, the elements of a list are separated by commas, \
      and a value with members of its own is JSON.

      Errors, on standard error: {"error": {code, message, hints, status}}, with sessionId and \
      clientTurnId of the prompt if known, serverCode if the server sent one, output of a \
      --verify command that failed, and for a usage limit resetAt, if known, with the provider's \
      words as reason. For the codes, see 'oppi help exit-status'. Warnings are also on standard error: {"warning": {message}}.

      The last list describes the file status.json, which 'oppi watch' writes for 'oppi status' \
      and for other programs. Its times are milliseconds since 1970. The file is replaced \
      atomically, at least every 30 s.
      """,
    lists: memberLists + [
      HelpList("status.json", FleetStatus.members.map { HelpRow($0.path, $0.meaning) })
    ]
  )

  static let commands = HelpTopic(
    name: "commands",
    summary: "All commands",
    reference: .commands,
    body: """
      oppi sends prompts to coding-agent workspaces on your paired Oppi servers. Standard output is \
      the result and nothing else; all other messages go to standard error.
      """
  )

  static let options = HelpTopic(
    name: "options",
    summary: "The options of every command",
    reference: .options,
    body: """
      These options may be given before or after the command. On a terminal, long help is shown \
      with the program in $PAGER, by default less; an empty PAGER or cat disables that.
      """
  )

  private static let filesTopic = HelpTopic(
    name: "files",
    summary: "The files that oppi reads and writes",
    reference: .files,
    body: """
      Files are replaced atomically, so a crash never leaves an incomplete file. Folders are \
      private to you (mode 0700). A damaged file with your own data is reported and not changed; \
      a damaged cache is replaced.

      A key or token is searched for in this order: the systemd credential oppi-SERVER; the \
      server's tokenCommand in servers.json (a list of a program and its arguments; the first line \
      of its output is the token; it must finish within 2 s); credentials.json. For programs that \
      keep a key, see 'oppi help keys'.
      """
  )

  private static let environmentTopic = HelpTopic(
    name: "environment",
    summary: "The environment variables that oppi reads",
    reference: .environment,
    body: "A relative path in one of the XDG variables is ignored."
  )
}

extension ConfigKey {
  /// The allowed values in parentheses; empty if any text is allowed or the summary names them.
  fileprivate var valueNote: String {
    let type = valueType
    if type == BooleanSetting.self { return "" }
    if !type.choices.isEmpty { return " (\(type.choices.joined(separator: ", ")))" }
    if type == PendingTime.self { return " (a DURATION of 1m or more)" }
    return self == .timeout ? " (a DURATION)" : ""
  }
}

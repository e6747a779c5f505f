// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// Pages of help about what all commands share.
enum Topics {
  static let files = [
    HelpRow("$XDG_CONFIG_HOME/oppi/config.json", "Settings, JSON with comments"),
    HelpRow("$XDG_CONFIG_HOME/oppi/servers.json", "The paired servers, without their tokens"),
    HelpRow(
      "$XDG_STATE_HOME/oppi/credentials.json",
      "The tokens; refused unless its mode is 0600"
    ),
    HelpRow("$XDG_STATE_HOME/oppi/dialects.json", "How each server streams, as learned"),
    HelpRow("$XDG_STATE_HOME/oppi/launch-target.json", "What 'oppi new' left for 'oppi launch'"),
    HelpRow(
      "$XDG_STATE_HOME/oppi/history.jsonl",
      "What was used last, and what was asked, of which 'history' false keeps none"
    ),
    HelpRow("$XDG_STATE_HOME/oppi/outbox/", "The prompts that wait for their server"),
    HelpRow(
      "$XDG_CONFIG_HOME/oppi/shortcuts/NAME.json",
      "A shortcut, JSON with comments; NAME.txt holds a prompt of several lines"
    ),
    HelpRow("$XDG_STATE_HOME/oppi/shortcut-sessions.json", "Where shortcuts go on"),
    HelpRow(
      "$XDG_STATE_HOME/oppi/chat-history.json",
      "The messages sent in chats, for Up and Ctrl-R; 'history' false keeps none"
    ),
    HelpRow("$XDG_STATE_HOME/oppi/recent-picks.json", "The order in which 'oppi pick' was used"),
    HelpRow("$XDG_STATE_HOME/oppi/setup.json", "What 'oppi setup' has written"),
    HelpRow(
      "$XDG_STATE_HOME/oppi/schedules/",
      "When shortcuts run by themselves, and their last runs"
    ),
    HelpRow("$XDG_CACHE_HOME/oppi/workspaces.json", "The workspaces as last seen"),
    HelpRow("$XDG_CACHE_HOME/oppi/sessions.json", "The sessions as last seen, for completion"),
    HelpRow("$XDG_CACHE_HOME/oppi/models.json", "The models as last seen, for completion"),
    HelpRow("$XDG_CACHE_HOME/oppi/turns.json", "The outcomes of turns, as last seen"),
    HelpRow(
      "$XDG_RUNTIME_DIR/oppi/status.json",
      "How all sessions stand, kept by 'oppi watch'; without XDG_RUNTIME_DIR in the state folder"
    ),
    HelpRow("$XDG_RUNTIME_DIR/oppi/link.json", "A link that waits for your word, for 90 s"),
  ]

  static let environment = [
    HelpRow("OPPI_WORKSPACE", "The workspace that ask uses when none is named"),
    HelpRow("PWD", "The links by which you came to your folder, for 'oppi config here'"),
    HelpRow("OPPI_SERVER", "The server that is meant when --server is not given"),
    HelpRow("CREDENTIALS_DIRECTORY", "Where systemd puts the credential oppi-SERVER"),
    HelpRow("HTTPS_PROXY, ALL_PROXY", "The proxy for https servers: http:// or socks5://"),
    HelpRow("NO_PROXY", "Hosts that are reached without the proxy"),
    HelpRow("SSL_CERT_DIR, SSL_CERT_FILE", "The authorities that vouch for unpinned servers"),
    HelpRow("VISUAL, EDITOR", "The editor of Ctrl-G in chat, and of 'oppi pick --edit'"),
    HelpRow(
      "TERMINAL",
      "The terminal in which 'oppi new' opens a session, with arguments if need be"
    ),
    HelpRow("WAYLAND_DISPLAY, DISPLAY", "Which menu programs 'oppi pick' can use"),
    HelpRow("OPPI_REDUCE_MOTION", "Switches animations off when not empty"),
    HelpRow("NO_COLOR", "Switches colours off when not empty"),
    HelpRow("TERM", "What the terminal can do; with dumb there are no colours and no cards"),
    HelpRow("COLUMNS", "The width of lines where no terminal knows it"),
    HelpRow("TZ", "The time zone of this machine, for 'oppi schedule'; /etc/localtime unless set"),
    HelpRow("XDG_CONFIG_HOME", "The folder of the settings; ~/.config unless set"),
    HelpRow("XDG_DATA_HOME", "Where 'oppi setup' puts its files; ~/.local/share unless set"),
    HelpRow("XDG_STATE_HOME", "The folder of what is remembered; ~/.local/state unless set"),
    HelpRow("XDG_CACHE_HOME", "The folder of what can be fetched again; ~/.cache unless set"),
    HelpRow("XDG_RUNTIME_DIR", "The folder of status.json; the state folder unless set"),
    HelpRow("DESTDIR", "What 'oppi setup --prefix' puts before each path, for packages"),
    HelpRow("DBUS_SESSION_BUS_ADDRESS", "Where watch finds the desktop's notifications"),
    HelpRow("NOTIFY_SOCKET, WATCHDOG_USEC", "What systemd has watch tell it"),
  ]

  static let all = [
    values, settings, shortcutFile, json, exitStatus, filesTopic, environmentTopic,
  ]

  private static let values = HelpTopic(
    name: "values",
    summary: "How durations, sessions and servers are written",
    explains: ["DURATION", "SESSION"],
    body: """
      A DURATION is a number with a unit: 500ms, 5s, 10m or 2h. A bare number is in seconds, and 1.5h \
      is as good as 90m. A year is the most.

      A SESSION is one of these:

        its id               Wq8sK2_d, as 'oppi ask' prints it
        the start of its id  Wq8s, where only one session's id begins so
        last                 the session that was asked or opened last from here
        SERVER/ and an id    studio/Wq8sK2_d, or the start of the id

      An id may begin with a hyphen: write --session=-q8sK2_d, or -- before it where it stands alone.

      A server is named by its name, by its identity (sha256:...) or by the start of its name where \
      only one server's name begins so. 'oppi help workspaces' says how a WORKSPACE is named.
      """
  )

  static let settings = HelpTopic(
    name: "settings",
    summary: "The settings in config.json",
    body: """
      The file is JSON with comments; change it by hand or with 'oppi config set NAME VALUE'. A name \
      with a dot stands for a member of an object: app.command is {"app": {"command": "..."}}.

      An option on the command line comes before a variable of the environment, and that before a \
      setting. A session that is there already keeps its model and its thinking level.

      A folder may have a workspace, which 'oppi config here WORKSPACE' sets, and a workspace may \
      have settings of its own, which 'oppi config set -w WORKSPACE NAME VALUE' sets:

        {
          "directories": {"~/src/api": "studio/api"},
          "workspaces": {
            "studio/api": {"thinking": "high", "timeout": "10m", "on-ask": "deny"}
          }
        }

      The entry of the nearest folder above the one that you are in counts; 'oppi config here' says \
      which. What a workspace has of its own comes before the setting for all, in each of several \
      -w; its model and its level are those of new sessions of 'oppi chat' and 'oppi launch', too ('oppi \
      launch --print' leaves the level to the other app). \
      A workspace stands there by its composite id, as server/workspace, or by a name that only one \
      has, and only once.
      """,
    lists: [
      HelpList(
        "Settings",
        ConfigKey.all.map { HelpRow($0.name, "\($0.summary)\($0.valueNote)") }
      ),
      HelpList("Settings of one folder or workspace", ownSettings),
    ]
  )

  private static let ownSettings =
    [HelpRow("directories.FOLDER", ConfigKey.directory("FOLDER").summary)]
    + ConfigKey.ofWorkspaces.map { key in
      HelpRow("workspaces.WORKSPACE.\(key.name)", "As \(key.name), in this workspace alone")
    }

  private static let exitStatus = HelpTopic(
    name: "exit-status",
    summary: "What the exit statuses mean",
    reference: .exitStatuses,
    body: """
      Status 75 means that the same line may work later, which SuccessExitStatus=75 in a systemd \
      unit, or a retry in a script, is for. After status 6 look at the session first: the prompt may have \
      run. With several workspaces the first failure decides, except that 6 comes before all others.

      With --json a failure is one line on standard error whose code never changes its meaning:

      \(errorCodes)
      """
  )

  /// The codes of errors with their exit statuses, a line each.
  static var errorCodes: String {
    OppiError.Code.allCases.map { "  \($0.rawValue) (\($0.status.rawValue))" }
      .joined(separator: "\n")
  }

  static let json = HelpTopic(
    name: "json",
    summary: "What --json prints",
    explains: ["--json"],
    body: """
      One document for a command; lines of JSON for ask with several workspaces (one each), and for \
      follow, status --follow and demo, where each has type and at. Members are only ever added. Times are ISO 8601 \
      in UTC, ages in seconds. A path such as servers[].id stands for a member of every element of a \
      list.

      Errors, on standard error: {"error": {code, message, hints, status}}, sessionId and \
      clientTurnId where a prompt got that far, and serverCode where the server gave one. See \
      'oppi help exit-status' for the codes. Warnings are there, too: {"warning": {message}}.

      The last list is not of a command but of the file status.json, which 'oppi watch' keeps for \
      'oppi status' and for any other program. Times in it are milliseconds since 1970. It is \
      replaced as a whole, and written every 30 s at least.
      """,
    lists: memberLists + [
      HelpList("status.json", FleetStatus.members.map { HelpRow($0.path, $0.meaning) })
    ]
  )

  private static let filesTopic = HelpTopic(
    name: "files",
    summary: "The files that oppi reads and writes",
    reference: .files,
    body: """
      Files are replaced as a whole, so that a crash never leaves half of one, and folders are made \
      for you alone. A damaged file that holds your own data is reported and left as it is; a \
      damaged cache is moved aside.

      A token is looked for as a systemd credential named oppi-SERVER, then by the server's \
      tokenCommand in servers.json (a program and its arguments as a list, whose first line of \
      output is the token, within 2 s), then in credentials.json.
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
  /// What its values are, in brackets, where that is not any text.
  fileprivate var valueNote: String {
    let type = valueType
    if !type.choices.isEmpty { return " (\(type.choices.joined(separator: ", ")))" }
    return self == .timeout ? " (a DURATION)" : ""
  }
}

// SPDX-License-Identifier: MIT

import CommandTable

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
    HelpRow("$XDG_STATE_HOME/oppi/last-used.json", "The workspace and session used last"),
    HelpRow("$XDG_CACHE_HOME/oppi/workspaces.json", "The workspaces as last seen"),
  ]

  static let environment = [
    HelpRow("OPPI_WORKSPACE", "The workspace that ask uses when none is named"),
    HelpRow("OPPI_SERVER", "The server that --server names when it is not given"),
    HelpRow("CREDENTIALS_DIRECTORY", "Where systemd puts the credential oppi-SERVER"),
    HelpRow("HTTPS_PROXY, ALL_PROXY", "The proxy for https servers: http:// or socks5://"),
    HelpRow("NO_PROXY", "Hosts that are reached without the proxy"),
    HelpRow("SSL_CERT_DIR, SSL_CERT_FILE", "The authorities that vouch for unpinned servers"),
    HelpRow("VISUAL, EDITOR", "The editor of Ctrl-G in chat"),
    HelpRow("TERMINAL", "The terminal in which 'oppi new' opens a session"),
    HelpRow("OPPI_REDUCE_MOTION", "Switches animations off when not empty"),
    HelpRow("NO_COLOR", "Switches colours off when not empty"),
    HelpRow("XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME", "Where the files are"),
  ]

  static let all = [exitStatus, json, filesTopic, environmentTopic]

  private static let exitStatus = HelpTopic(
    name: "exit-status",
    summary: "What the exit statuses mean",
    body: """
      \(ExitStatus.allCases.map { "  \(padded($0.rawValue))  \($0.meaning)" }.joined(separator: "\n"))

      Status 75 means that the same line may work later, so SuccessExitStatus=75 in a systemd unit \
      or a retry in a script fits it. After status 6 look at the session first: the prompt may have \
      run. Of several workspaces the first failure decides, but 6 before all others.

      With --json a failure is one line on standard error whose code never changes its meaning:

      \(OppiError.Code.allCases.map { "  \($0.rawValue) (\($0.status.rawValue))" }
        .joined(separator: "\n"))
      """
  )

  private static let json = HelpTopic(
    name: "json",
    summary: "What --json prints",
    body: """
      One document for a command; lines of JSON for ask with several workspaces (one each), and for \
      follow and demo, where each has type and at. Members are only ever added. Times are ISO 8601 \
      in UTC, ages in seconds. A path such as servers[].id stands for a member of all elements of a \
      list.

      Errors, on standard error: {"error": {code, message, hints, status}}, sessionId and \
      clientTurnId where a prompt had come that far, and serverCode where the server gave one. See \
      'oppi help exit-status' for the codes. Warnings are there, too: {"warning": {message}}.
      """,
    lists: memberLists
  )

  /// The members that each command prints; commands that print the same share a list.
  private static let memberLists: [HelpList] = {
    var lists: [HelpList] = []
    for (name, rows) in members(of: OppiTable.commands) {
      if let index = lists.firstIndex(where: { $0.rows == rows }) {
        lists[index] = HelpList("\(lists[index].heading), \(name)", rows)
      } else {
        lists.append(HelpList(name, rows))
      }
    }
    return lists
  }()

  /// The visible commands below some, by their full names, with the members that they print.
  private static func members(
    of commands: [Command],
    below noun: String = ""
  ) -> [(name: String, rows: [HelpRow])] {
    commands.filter { !$0.isHidden }.flatMap { command in
      let name = noun + command.name
      return command.isNoun
        ? members(of: command.subcommands, below: "\(name) ") : [(name, command.members)]
    }
  }

  private static let filesTopic = HelpTopic(
    name: "files",
    summary: "The files that oppi reads and writes",
    body: """
      \(rows(files))

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
    body: rows(environment)
  )

  private static func rows(_ rows: [HelpRow]) -> String {
    rows.map { "  \($0.term)\n      \($0.meaning)" }.joined(separator: "\n")
  }

  private static func padded(_ number: Int32) -> String {
    String(repeating: " ", count: 3 - String(number).count) + String(number)
  }
}

// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiTerminal
import OppiTurns

extension Topics {
  /// The pages of section 5 of the manual; other topics have pages in section 7, or are part of the
  /// program's own page.
  static var pages: [TopicPage] { [configPage, jsonPage] }

  private static var configPage: TopicPage {
    TopicPage(
      name: "config",
      section: 5,
      summary: "Files that configure oppi",
      topics: [settings.name, shortcutFile.name],
      parts: [
        TopicPage.Part(
          "DESCRIPTION",
          """
          You may edit these files. 'oppi help files' lists all other files, which only oppi writes.
          """
        ),
        TopicPage.Part("FILES", files: files.filter { $0.term.hasPrefix("$XDG_CONFIG_HOME/") }),
        TopicPage.Part("SETTINGS", settings.body, lists: settings.lists),
        TopicPage.Part("SHORTCUTS", shortcutFile.body, lists: shortcutFile.lists),
        TopicPage.Part("SERVERS", serversText),
      ]
    )
  }

  private static let serversText = """
    'oppi pair' writes servers.json, and 'oppi servers' changes it. You can add or change these \
    members in the object of a server:

      "tokenCommand": ["pass", "show", "oppi/studio"]
      "keyCommand": ["oppi-key"]
      "proxy": "socks5://127.0.0.1:1080"

    tokenCommand is a program with its arguments; the first line of its output is the token \
    ('oppi help files' has the search order). keyCommand is the program that keeps the key of \
    this machine; 'oppi pair --key-command' sets it ('oppi help keys'). proxy is the proxy for this server only; without \
    it the environment variables apply ('oppi help environment').
    """

  private static var jsonPage: TopicPage {
    TopicPage(
      name: "json",
      section: 5,
      summary: "JSON output of oppi",
      topics: [json.name],
      parts: [
        TopicPage.Part("DESCRIPTION", json.body),
        TopicPage.Part("ERROR OBJECT", errorText),
        TopicPage.Part("COMPATIBILITY", compatibilityText),
        TopicPage.Part("MEMBERS", lists: json.lists),
      ]
    )
  }

  private static let compatibilityText = """
    New versions may add members but do not rename, remove or change existing ones. The same \
    applies to error codes. Programs must ignore unknown members and unknown types of lines.
    """

  private static var errorText: String {
    """
    A failure is one line on standard error:

      {"error": {"code": "...", "message": "...", "hints": ["..."], "status": 64}}

    message is human-readable and may change. hints suggest commands, and status is the exit \
    status. The codes, each with its exit status:

    \(errorCodes)
    """
  }
}

extension Topics {
  static let display = HelpTopic(
    name: "display",
    summary: "Colours, keys and the mouse in a terminal",
    explains: ["--color"],
    body: """
      The colours are determined by the first of these that applies:

          --color never      no colours; --color always writes them into pipes, too
          NO_COLOR           no colours
          TERM=dumb, linux   no colours; the colours of the Linux console
          theme              the setting: oppi config set theme dark

      The themes dark and light use colours that are legible on such a background. mono uses bold, \
      dim, underlined and reversed text only. standard uses few colours, which are legible on any \
      background. With auto, the default, 'oppi chat' and 'oppi console' ask the terminal for its \
      background (OSC 11) at start, and wait up to 0.1 s for the answer. Without an answer the \
      theme is standard, as in all other output; tmux 3.3, for example, does not answer. A terminal \
      has 16 colours, unless COLORTERM is truecolor or 24bit, or TERM contains 256color.

      A setting colors.ROLE replaces the appearance of one role in every theme, except without \
      colours and on the Linux console:

          oppi config set colors.attention 'bold #f2b84b'
          oppi config set colors.selection 'white on blue'
          oppi config set colors.comment plain

      The value consists of attributes, a colour, and 'on' with the colour of the background; each \
      may be missing. The words are \(Appearance.words.joined(separator: ", ")) and #RRGGBB, which \
      a terminal with 16 colours ignores. 'oppi help settings' lists the roles.

      These settings apply to the commands that read the settings: ask, run, follow, chat, console \
      and new. All other commands use the standard theme. No information is only in a colour.

      In the console, the wheel of the mouse sends the keys Up and Down if the terminal supports it \
      (private mode 1007). 'oppi config set mouse on' sends clicks and the wheel to the console \
      instead, and so does M there until you leave: a click selects a row, a double click opens it, and \
      nothing is decided. The terminal then selects text while you hold Shift. When the program exits, \
      stops or opens an editor, the terminal has the state that it had before.

      The setting keys replaces keys of the console by others, by the names of their actions, which ':' \
      lists there; the action that had the key before loses it:

          oppi config set keys 'reply=m,refresh=Ctrl-R'
      """
  )

  static let accessible = HelpTopic(
    name: "accessible",
    summary: "Output for screen readers and Braille displays",
    explains: ["--accessible"],
    body: """
      The accessible mode prints whole lines in their order. Nothing is redrawn, there is no \
      spinner and no running clock, and no control sequence moves the cursor. It is enabled by \
      the first of these that is set:

          --accessible      the option, of any command
          ACCESSIBLE        the environment variable; 0 disables the mode
          accessible        the setting: oppi config set accessible true

      chat, console, follow and ask --follow first say what has enabled the mode, and how to leave it. \
      On a terminal without cursor control (TERM=dumb) these commands print the same lines. Each \
      line of a message begins with a label that you can search for: You, Agent, Tool, Approval or \
      Question; output and news begin other lines. The \
      result or the state comes first, and times come last. Thinking is not printed.

      The rows of a table, in a message and in the list of any command, are printed one after the \
      other: a line 'Header: value' for each value, and an empty line between two rows.

      The terminal edits the line that you type. A request is printed in full with numbered \
      choices: each line of a call begins with 'line' and its number, so that no text of the call \
      can be taken for a line of oppi. Only a line that is exactly a number or the text of a choice \
      decides it, and only if it was typed after the whole text was printed for 1 second. An empty \
      line decides nothing. What you had typed before is set aside and printed; it is neither sent \
      nor an answer. A question mark prints the request again. Let your screen reader speak all \
      punctuation when you read a call: by default most of them leave out hyphens and slashes, as \
      in rm -rf. A question is answered by a number, by numbers \
      with commas, or by your own text if that is allowed; /cancel cancels it.

      'oppi console' is a menu of numbered lists. The first one, Now, has what waits for you, what runs, \
      what has ended and the next scheduled run. A number stays with its item until the list is \
      printed again; a choice of an item that has changed meanwhile is refused. 0 or an empty line \
      goes back, ? explains, more prints the next part of a list, r queries the servers, n sends a \
      prompt to a new session, q leaves. \
      Changes that cannot be undone need the word yes. What happens meanwhile is printed as a line \
      that begins with news, at most once a second. In place of 'oppi approvals --decide', which \
      draws on the whole screen, use 'oppi approvals show', 'oppi approve' and 'oppi deny'.

      In the normal mode the cursor of the terminal is visible where you type text; elsewhere it is \
      hidden and stands on the selected row. OPPI_REDUCE_MOTION disables animations, NO_COLOR colours; no information is only in \
      a colour. In pipes all commands print lines.
      """
  )
}

extension Topics {
  static let bars = HelpTopic(
    name: "bars",
    summary: "Configuration of status bars",
    body: """
      'oppi status' prints one line for a status bar: the most important session of all servers. \
      Use the full path of the program, because the PATH of a bar may differ from yours:

      \(configurations)

      --presentation minimal prints a symbol only, expanded prints everything. While 'oppi watch' \
      runs, its snapshot is read and no server is queried. 'oppi examples show waybar' prints \
      complete configuration files; 'oppi examples' lists those for other bars.
      """
  )

  /// Indented lines, which help prints unchanged.
  private static let configurations: String = {
    let bars = StatusFormat.all.filter(\.isBar)
    let width = bars.map(\.name.count).max() ?? 0
    return bars.flatMap { bar in
      bar.configuration.split(separator: "\n").enumerated().map { index, line in
        let name = index == 0 ? bar.name : ""
        return "    \(name)\(String(repeating: " ", count: width + 2 - name.count))\(line)"
      }
    }
    .joined(separator: "\n")
  }()
}

extension Topics {
  /// The JSON members of each command; commands with the same members share a list.
  static let memberLists: [HelpList] = {
    var lists: [HelpList] = []
    for (name, rows) in members(of: OppiTable.commands) {
      if let index = lists.firstIndex(where: { $0.rows == rows }) {
        lists[index] = HelpList("\(lists[index].heading), \(name)", rows)
      } else {
        lists.append(HelpList(name, rows))
      }
    }
    return lists.map { list in
      HelpList(list.heading, lists.reduce(list.rows) { shortened($0, referringTo: $1) })
    }
  }()

  /// Replaces the members of an inner object by a reference to the command that prints the same
  /// object.
  private static func shortened(_ rows: [HelpRow], referringTo list: HelpList) -> [HelpRow] {
    guard let first = list.rows.first, list.rows.count > 2,
      let start = rows.firstIndex(where: { $0.term.hasSuffix(".\(first.term)") }), start > 0
    else { return rows }
    let path = rows[start].term.dropLast(first.term.count)
    let end = start + list.rows.count
    guard end <= rows.count,
      Array(rows[start..<end]) == list.rows.map({ HelpRow(path + $0.term, $0.meaning) })
    else { return rows }
    let command = list.heading.prefix { $0 != "," }
    let owner = rows[start - 1]
    let row = HelpRow(owner.term, "\(owner.meaning), with the members of \(command)")
    return rows[..<(start - 1)] + [row] + rows[end...]
  }

  /// The visible commands with their full names and JSON members, recursively.
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
}

// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
package import OppiModel
import OppiSystem
import OppiTerminal
import OppiText

/// `oppi shortcuts`: named prompts for triggers.
package enum Shortcuts {
  package static let command: Command = Command(
    "shortcuts",
    "Show and manage shortcuts",
    discussion: """
      A shortcut is a stored prompt with its workspace and options. Triggers contain only its \
      name, because crontabs, units and key bindings interpret characters such as %, $ and ;, and \
      other users may be able to read them:

          oppi shortcuts add standup -w web --queue 'what was done yesterday?'
          oppi shortcuts add review -w web --input --wait 'review: {{input}}'
          oppi shortcuts add deploy -w web --session same 'deploy {{branch}}'
          oppi run standup
          git diff | oppi run review
          oppi run deploy --var branch=release

      A shortcut is a file; see 'oppi help shortcut-file'.
      """,
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [
      ShortcutsList.command, ShortcutsShow.command, ShortcutsAdd.command, ShortcutsEdit.command,
      ShortcutsRemove.command,
    ]
  )

  /// The options of a command for one shortcut.
  struct OneShortcut: Sendable, Equatable {
    @Required var name: ShortcutName

    static let arguments: [Argument<OneShortcut>] = [.shortcut(\.$name)]
  }
}

extension Argument {
  static func shortcut(
    _ field: @autoclosure @escaping Field<Options, Required<ShortcutName>>
  ) -> Self {
    .positional("name", completion: .names(of: .shortcut), field(), "The shortcut's name")
  }
}

extension ShortcutStore {
  /// Returns a shortcut.
  ///
  /// - Throws: `OppiError` if it does not exist or its file is invalid; the errors of ``load(_:)``.
  package func shortcut(_ name: ShortcutName) throws -> Shortcut {
    try shortcut(in: try existing(name), named: name)
  }

  /// Parses the file of a shortcut.
  ///
  /// - Throws: `OppiError` with the defect.
  func shortcut(in file: File, named name: ShortcutName) throws(OppiError) -> Shortcut {
    let json: JSONValue
    do {
      json = try JSONValue(parsingJSON5: Array(file.text.utf8))
    } catch {
      throw OppiError(FileError.corrupt(path: path(of: name.text), error))
    }
    let promptFile = json[Shortcut.promptFileMember]
    if promptFile != .null, promptFile.string != "\(name.text).txt" {
      throw defect(of: name, "has a member 'promptFile' that is not '\(name.text).txt'")
    }
    if promptFile != .null, json["prompt"] != .null {
      throw defect(of: name, "has both prompt and promptFile")
    }
    // A final line break belongs to the file, not to the prompt.
    let prompt = file.prompt.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    do {
      return try Shortcut(json: json, promptFile: prompt)
    } catch {
      throw defect(of: name, error.message)
    }
  }

  private func defect(of name: ShortcutName, _ words: String) -> OppiError {
    OppiError(
      .badConfiguration,
      "shortcut \(name.text) \(words) (\(path(of: name.text)))",
      hints: ["correct it with: oppi shortcuts edit \(name.text)"]
    )
  }

  /// The file of a shortcut; a prompt with several lines gets its own file.
  func file(of shortcut: Shortcut, named name: ShortcutName) -> File {
    let isApart = shortcut.prompt.contains("\n")
    let members = Shortcut.shape.object(of: shortcut).map { member in
      isApart && member.key == "prompt"
        ? (Shortcut.promptFileMember, .string("\(name.text).txt")) : (member.key, member.value)
    }
    return File(
      text: JSONValue.object(JSONObject(members)).text(.indented) + "\n",
      prompt: isApart ? shortcut.prompt + "\n" : nil
    )
  }
}

enum ShortcutsList {
  static let command: Command = Command(
    "list",
    "List the shortcuts",
    discussion: """
      In a pipe each line has, separated by tabs: name, workspace, options, required \
      placeholders, and prompt.
      """,
    options: NoOptions(),
    run: run
  )
  .listing([list])

  private static let list = Listing<NamedShortcut>(
    "shortcuts",
    "The shortcuts, sorted by name",
    NamedShortcut.shape,
    columns: [
      .text("NAME", .kept, .name) { $0.name.text },
      .text("WORKSPACE", .context) { $0.workspace },
      .text("OPTIONS", .detail(1), .dim) { $0.manner },
      .text("NEEDS", .detail(2), .dim) { $0.needed.joined(separator: " ") },
      .text("PROMPT", .decides) { $0.shortcut.prompt.safeLine(limit: 60) },
    ],
    pipe: [
      "name", .text { $0.workspace }, .text { $0.manner },
      .text { $0.needed.joined(separator: " ") },
      .text { $0.shortcut.prompt.safeLine(limit: 2000) },
    ]
  )

  static func run(_: NoOptions, in context: Context) async throws -> Report {
    var rows: [NamedShortcut] = []
    var defects: [OppiError] = []
    for name in try context.shortcuts.all() {
      do {
        rows.append(NamedShortcut(name: name, shortcut: try context.shortcuts.shortcut(name)))
      } catch {
        defects.append(OppiError(error))
      }
    }
    return list.report(
      rows,
      in: context,
      status: rows.isEmpty && defects.isEmpty ? "no shortcuts" : nil,
      notes: defects.dropFirst().map { .warning($0.message) },
      failure: defects.first
    )
  }
}

enum ShortcutsShow {
  static let command: Command = Command(
    "show",
    "Show a shortcut with its full prompt",
    exitStatuses: [0, 64, 66, 74, 78],
    members: NamedShortcut.shape.rows,
    options: Shortcuts.OneShortcut(),
    arguments: Shortcuts.OneShortcut.arguments,
    run: run
  )

  static func run(_ options: Shortcuts.OneShortcut, in context: Context) async throws -> Report {
    let (store, name) = (context.shortcuts, options.name)
    let row = NamedShortcut(name: name, shortcut: try store.shortcut(name))
    let file = try store.load(name.text)
    let texts = [file?.text, file?.prompt].compactMap(\.self)
    let lines = texts.flatMap { text in
      // A final line break begins no line.
      String(text.hasSuffix("\n") ? text.dropLast() : text[...]).safeBlock()
        .split(separator: "\n", omittingEmptySubsequences: false)
    }
    return Report(
      NamedShortcut.shape.document(of: row),
      .lines(lines.map { StyledText(String($0)) }),
      status: StyledText(store.path(of: name.text), .dim)
    )
  }
}

enum ShortcutsRemove {
  static let command: Command = Command(
    "remove",
    "Remove a shortcut",
    discussion: """
      Triggers of the shortcut fail afterwards; its queued prompts are still delivered. A shortcut \
      with a schedule cannot be removed: run 'oppi schedule remove' first.
      """,
    exitStatuses: [0, 64, 66, 74],
    members: shape.rows,
    options: Shortcuts.OneShortcut(),
    arguments: Shortcuts.OneShortcut.arguments,
    run: run
  )

  static func run(_ options: Shortcuts.OneShortcut, in context: Context) async throws -> Report {
    let name = options.name
    try await context.services.removeShortcut(name)
    return Report(shape.document(of: name), status: StyledText("removed \(name.text)"))
  }

  private static let shape: JSONShape<ShortcutName> = [
    .text("name", "The shortcut that was removed") { $0.text }
  ]
}

/// The texts and the JSON of a shortcut.
extension NamedShortcut {
  fileprivate var workspace: String? { shortcut.workspace?.safeLine(limit: 120) }

  /// What a run does besides sending the prompt.
  var manner: String {
    var words: [String] = []
    if shortcut.readsInput { words.append("reads input") }
    if let condition = shortcut.condition { words.append("runs if its check \(condition.words)") }
    if shortcut.conversation == .same { words.append("same session") }
    if shortcut.isWaiting { words.append("waits") }
    if shortcut.isQueueing {
      words.append("queues" + (shortcut.expiry?.argumentText.map { " for \($0)" } ?? ""))
    }
    if shortcut.ending == .stop { words.append("ends the session") }
    if let then = shortcut.then { words.append("then \(then.text)") }
    return words.joined(separator: ", ")
  }

  /// A command line that runs the shortcut, with `--var` for each value that it needs.
  var example: String {
    "oppi run \(name.text)" + needed.map { " --var \($0)=..." }.joined()
  }

  static let shape: JSONShape<NamedShortcut> = JSONShape(
    [
      .text("name", "Its name") { $0.name.text },
      .texts("needs", "The placeholders that a run must set") { $0.needed },
    ] + Shortcut.shape.members { $0.shortcut }
  )
}

extension RunCondition {
  fileprivate var words: String {
    switch rule {
    case .succeeds: "succeeds"
    case .nonempty: "has output"
    case .changed: "has changed"
    }
  }
}

// SPDX-License-Identifier: MIT

import OppiModel
import OppiText

/// What the calls of certain tools show.
///
/// The closures may return any text from the server: ``CallFacts`` makes it safe and cuts it.
struct ToolRenderer: Sendable {
  /// To add a renderer, declare it in this file and name it here.
  static let all = [
    bash, read, write, edit, webSearch, webFetch, todo, ask, spawnAgent,
  ]

  private static let byTool = Dictionary(
    all.flatMap { renderer in renderer.tools.map { ($0, renderer) } },
    uniquingKeysWith: { first, _ in first }
  )

  let tools: Set<String>
  /// Returns the subject of a call, such as its command or file; empty if unknown.
  let subject: @Sendable (ToolCallActivity) -> String
  /// Returns the size of the result; `nil` if it says nothing.
  var size: @Sendable (ToolCallActivity) -> String? = { $0.outputSize }

  static func of(_ call: ToolCallActivity) -> ToolRenderer { byTool[call.tool] ?? other }
}

extension ToolCallActivity {
  /// A text among the arguments; empty if there is none.
  fileprivate func argument(_ name: String) -> String { arguments[name].string ?? "" }

  fileprivate var outputSize: String? {
    // The text of a command that printed nothing.
    guard output.totalBytes > 0, output.text != "(no output)" else { return nil }
    return output.totalLines?.counted("line") ?? output.totalBytes.counted("byte")
  }
}

// MARK: - Commands and files

extension ToolRenderer {
  /// Shell commands.
  private static let bash = ToolRenderer(tools: ["bash", "run_bash", "shell"]) {
    $0.argument("command")
  }

  /// File reads: the path, and the range of lines if given.
  private static let read = ToolRenderer(tools: ["read"]) { call in
    let path = call.argument("path")
    switch (call.arguments["offset"].int, call.arguments["limit"].int) {
    case (let first?, let count?): return "\(path) (lines \(first) to \(first + count - 1))"
    case (let first?, nil): return "\(path) (from line \(first))"
    case (nil, let count?): return "\(path) (the first \(count) lines)"
    case (nil, nil): return path
    }
  }

  /// File writes: the path and the number of lines.
  private static let write = ToolRenderer(tools: ["write"]) {
    $0.argument("path")
  } size: {
    $0.lineChange.map { "+\($0.added)" }
  }

  /// File edits: the path and the number of changed lines.
  private static let edit = ToolRenderer(tools: ["edit"]) {
    $0.argument("path")
  } size: {
    $0.lineChange.map { "+\($0.added) -\($0.removed)" }
  }
}

// MARK: - The web, people and agents

extension ToolRenderer {
  /// To-do lists: the number of completed items and the current item.
  private static let todo = ToolRenderer(tools: [
    "todo", "todos", "todo_read", "todo_write", "todoread", "todowrite", "TodoWrite",
  ]) { call in
    guard let progress = TodoProgress(call) else { return call.argument("action") }
    let current = progress.current.map { ": \($0)" } ?? ""
    return "\(progress.completed) of \(progress.total) done\(current)"
  } size: { _ in
    nil
  }

  /// Questions to the user.
  static let ask = ToolRenderer(tools: ["ask"]) { call in
    let questions = call.arguments["questions"].array ?? []
    let first = questions.first?["question"].string ?? ""
    return questions.count > 1 ? "\(first) (and \(questions.count - 1) more)" : first
  } size: { _ in
    nil
  }

  /// Spawned agents: the name and the task.
  private static let spawnAgent = ToolRenderer(tools: ["spawn_agent"]) { call in
    let name = call.arguments["name"].string ?? call.details["name"].string ?? ""
    let task = call.argument("message").head(bytes: 1024)
    return [name, task].filter { !$0.isEmpty }.joined(separator: ": ")
  } size: { _ in
    nil
  }

  /// Web searches: the query and the number of results.
  private static let webSearch = ToolRenderer(tools: ["web_search"]) {
    $0.argument("query")
  } size: { call in
    let count = call.details["resultCount"].int ?? call.details["results"].array?.count
    return count?.counted("result") ?? call.outputSize
  }

  /// Page fetches: the address and the HTTP status.
  private static let webFetch = ToolRenderer(tools: ["web_fetch", "web_summarize"]) {
    $0.argument("url")
  } size: { call in
    let status = call.details["status"].int ?? call.details["statusCode"].int
    return status.map { "status \($0)" } ?? call.outputSize
  }

  /// Unknown tools: the arguments.
  private static let other = ToolRenderer(tools: []) { call in
    switch call.arguments {
    case .null, [:]: ""
    case .string(let text): text
    default: call.arguments.text()
    }
  }
}

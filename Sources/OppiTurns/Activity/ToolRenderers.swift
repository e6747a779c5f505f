// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText

/// How the calls of certain tools are shown.
///
/// The closures may return any text from the server: ``CallFacts`` makes it safe and truncates it to
/// the width.
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
  /// Returns the result of a call in a few lines of any width.
  let rows: @Sendable (ToolCallActivity) -> [StyledText]

  static func of(_ call: ToolCallActivity) -> ToolRenderer { byTool[call.tool] ?? other }
}

extension ToolCallActivity {
  /// A text among the arguments; empty if there is none.
  fileprivate func argument(_ name: String) -> String { arguments[name].string ?? "" }

  /// The last lines of the output without blank lines; more while the call is open.
  fileprivate var lastLines: [StyledText] {
    TextBlock.lastLines(of: output.text, count: 20)
      .filter { !$0.allSatisfy(\.isWhitespace) }
      .suffix(isOpen ? 5 : 3)
      .map { StyledText($0, .dim) }
  }

  /// The end of the output of a failed call; empty for other calls.
  fileprivate var failure: [StyledText] { state == .failed ? lastLines : [] }
}

// MARK: - Commands and files

extension ToolRenderer {
  /// The server's text at the end of the output of a failed command.
  private static let exitMark = "Command exited with code "

  /// Shell commands: the command, the end of its output, and its exit code.
  private static let bash = ToolRenderer(tools: ["bash", "run_bash", "shell"]) {
    $0.argument("command")
  } rows: { call in
    var rows = call.lastLines
    if let last = rows.last?.plain, last.hasPrefix(exitMark) {
      rows[rows.count - 1] = StyledText("exit \(last.dropFirst(exitMark.count))", .error)
    }
    guard call.output.isTruncated else { return rows }
    let lines = call.output.totalLines.map { "\($0) lines, " } ?? ""
    return [StyledText("… the end of \(lines)\(call.output.totalBytes) bytes:", .dim)] + rows
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
  } rows: {
    $0.failure
  }

  private static let writtenRows = 6

  /// File writes: the path, the number of lines, and the first lines.
  private static let write = ToolRenderer(tools: ["write"]) { call in
    call.argument("path") + (call.lineChange.map { " (+\($0.added))" } ?? "")
  } rows: { call in
    guard call.state == .succeeded else { return call.failure }
    let lines = TextBlock.lines(of: call.argument("content").head(bytes: writtenRows * 1024))
    let rows = lines.prefix(writtenRows).map { StyledText($0, .dim) }
    let hidden = (call.lineChange?.added ?? lines.count) - rows.count
    return hidden > 0 ? rows + [StyledText("… \(hidden.counted("more line"))", .dim)] : rows
  }

  /// File edits: the path and the number of changed lines; ``EditDiff`` has the lines.
  private static let edit = ToolRenderer(tools: ["edit"]) { call in
    call.argument("path") + (call.lineChange.map { " (+\($0.added) -\($0.removed))" } ?? "")
  } rows: {
    $0.failure
  }
}

// MARK: - The web, people and agents

extension ToolRenderer {
  /// To-do lists: the number of completed items and the current item.
  private static let todo = ToolRenderer(tools: [
    "todo", "todos", "todo_read", "todo_write", "todoread", "todowrite", "TodoWrite",
  ]) { call in
    TodoProgress(call).map { "\($0.completed) of \($0.total) done" } ?? call.argument("action")
  } rows: { call in
    guard let progress = TodoProgress(call) else { return call.lastLines }
    return (progress.current.map { [StyledText("now: \($0)")] } ?? []) + call.failure
  }

  /// Questions to the user and their answers.
  static let ask = ToolRenderer(tools: ["ask"]) { call in
    let questions = call.arguments["questions"].array ?? []
    let first = questions.first?["question"].string ?? ""
    return questions.count > 1 ? "\(first) (and \(questions.count - 1) more)" : first
  } rows: { call in
    guard call.state == .succeeded, let answers = call.details["answers"].object else {
      return call.failure
    }
    if answers.isEmpty { return [StyledText("not answered", .dim)] }
    return answers.sorted { $0.key < $1.key }.map { id, answer in
      let values = answer.array ?? [answer]
      return StyledText("\(id): \(values.map { $0.string ?? $0.text() }.joined(separator: ", "))")
    }
  }

  /// Spawned agents: the name and the task.
  private static let spawnAgent = ToolRenderer(tools: ["spawn_agent"]) { call in
    call.arguments["name"].string ?? call.details["name"].string ?? ""
  } rows: { call in
    let task = call.argument("message")
    let isShown = call.state != .failed && !task.isEmpty
    return isShown ? [StyledText(task.head(bytes: 1024), .dim)] : call.lastLines
  }

  /// Web searches: the query, the number of results and the first titles.
  private static let webSearch = ToolRenderer(tools: ["web_search"]) {
    $0.argument("query")
  } rows: { call in
    let results = call.details["results"].array ?? []
    guard call.state == .succeeded,
      let count = call.details["resultCount"].int ?? (results.isEmpty ? nil : results.count)
    else { return call.lastLines }
    let titles = results.prefix(3).compactMap { $0["title"].string ?? $0["url"].string }
    return [StyledText(count.counted("result"))] + titles.map { StyledText($0, .dim) }
  }

  /// Page fetches: the address, the HTTP status and the beginning of the page.
  private static let webFetch = ToolRenderer(tools: ["web_fetch", "web_summarize"]) {
    $0.argument("url")
  } rows: { call in
    let status = call.details["status"].int ?? call.details["statusCode"].int
    let heading = status.map { [StyledText("status \($0)")] } ?? []
    // Only the end of a long page is kept.
    if call.output.isTruncated {
      return heading + [StyledText("\(call.output.totalBytes) bytes", .dim)]
    }
    let lines = TextBlock.lines(of: call.output.text.head(bytes: 4096))
    let snippet = lines.lazy.filter { !$0.allSatisfy(\.isWhitespace) }.prefix(2)
    return heading + snippet.map { StyledText($0, .dim) }
  }

  /// Unknown tools: the arguments and the end of the output.
  private static let other = ToolRenderer(tools: []) { call in
    switch call.arguments {
    case .null, [:]: ""
    case .string(let text): text
    default: call.arguments.text()
    }
  } rows: {
    $0.lastLines
  }
}

// SPDX-License-Identifier: MIT

package import OppiModel

package enum ToolRenderers {
  /// To add a renderer, add a type in this file and a row here.
  package static let all: [any ToolRenderer.Type] = [
    BashRenderer.self,
    ReadRenderer.self,
    WriteRenderer.self,
    EditRenderer.self,
    WebSearchRenderer.self,
    WebFetchRenderer.self,
    TodoRenderer.self,
    AskRenderer.self,
    SpawnAgentRenderer.self,
  ]

  private static let byTool: [String: any ToolRenderer.Type] = Dictionary(
    all.flatMap { renderer in renderer.tools.map { ($0, renderer) } },
    uniquingKeysWith: { first, _ in first }
  )

  package static func renderer(for tool: String) -> any ToolRenderer.Type {
    byTool[tool] ?? DefaultRenderer.self
  }

  /// Returns the tool's name, safe to show.
  package static func name(of call: ToolCallActivity) -> String {
    let name = call.tool.safeLine(limit: 40)
    return name.isEmpty ? "tool" : name
  }

  /// Returns the subject of a call in one line, safe to show; empty if unknown.
  package static func subject(of call: ToolCallActivity) -> String {
    renderer(for: call.tool).subject(of: call).head(bytes: 4096).safeLine()
  }

  /// Returns the name and subject of a call, such as `bash: npm test`.
  package static func title(of call: ToolCallActivity) -> String {
    let subject = subject(of: call)
    return subject.isEmpty ? name(of: call) : "\(name(of: call)): \(subject)"
  }

  /// Returns why a call was rejected in one line, safe to show; `nil` if it was not, or if the reason
  /// is unknown.
  package static func rejection(of call: ToolCallActivity) -> String? {
    guard case .rejected(let reason) = call.state, !reason.isEmpty else { return nil }
    return reason.head(bytes: 1024).safeLine()
  }

  /// Returns the result of a call in lines that are safe to show and fit the width.
  package static func rows(for call: ToolCallActivity, width: Int) -> [StyledText] {
    renderer(for: call.tool).rows(for: call).map { row in
      var safe = StyledText()
      for piece in row.pieces {
        safe.append(TextBlock.lines(of: piece.text).joined(separator: " "), piece.style)
      }
      return safe.truncated(to: width)
    }
  }
}

/// Renders the calls of certain tools.
///
/// The result may contain any text from the server: ``ToolRenderers`` makes it safe and truncates
/// it to the width.
package protocol ToolRenderer: Sendable {
  static var tools: Set<String> { get }
  /// Returns the subject of a call, such as its command or file; empty if unknown.
  static func subject(of call: ToolCallActivity) -> String
  /// Returns the result of a call in a few lines of any width.
  static func rows(for call: ToolCallActivity) -> [StyledText]
}

extension ToolRenderer {
  /// The last lines of the output without blank lines; more while the call is open.
  static func output(of call: ToolCallActivity) -> [StyledText] {
    TextBlock.lastLines(of: call.output.text, count: 20)
      .filter { !$0.allSatisfy(\.isWhitespace) }
      .suffix(call.isOpen ? 5 : 3)
      .map { StyledText($0, .dim) }
  }

  /// The end of the output of a failed call; empty for other calls.
  static func failure(of call: ToolCallActivity) -> [StyledText] {
    call.state == .failed ? output(of: call) : []
  }
}

/// Shell commands: the command, the end of its output, and its exit code.
enum BashRenderer: ToolRenderer {
  static let tools: Set = ["bash", "run_bash", "shell"]

  /// The server's text at the end of the output of a failed command.
  private static let exitMark = "Command exited with code "

  static func subject(of call: ToolCallActivity) -> String {
    call.arguments["command"].string ?? ""
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    var rows = output(of: call)
    if let last = rows.last?.plain, last.hasPrefix(exitMark) {
      rows[rows.count - 1] = StyledText("exit \(last.dropFirst(exitMark.count))", .error)
    }
    if call.output.isTruncated { rows.insert(StyledText(size(of: call.output), .dim), at: 0) }
    return rows
  }

  private static func size(of output: ToolOutputText) -> String {
    let lines = output.totalLines.map { "\($0) lines, " } ?? ""
    return "… the end of \(lines)\(output.totalBytes) bytes:"
  }
}

/// File reads: the path, and the range of lines if given.
enum ReadRenderer: ToolRenderer {
  static let tools: Set = ["read"]

  static func subject(of call: ToolCallActivity) -> String {
    let path = call.arguments["path"].string ?? ""
    let first = call.arguments["offset"].int
    let count = call.arguments["limit"].int
    switch (first, count) {
    case (let first?, let count?):
      return "\(path) (lines \(first) to \(first + count - 1))"
    case (let first?, nil): return "\(path) (from line \(first))"
    case (nil, let count?): return "\(path) (the first \(count) lines)"
    case (nil, nil): return path
    }
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    failure(of: call)
  }
}

/// File writes: the path, the number of lines, and the first lines.
enum WriteRenderer: ToolRenderer {
  static let tools: Set = ["write"]

  static func subject(of call: ToolCallActivity) -> String {
    let path = call.arguments["path"].string ?? ""
    return call.lineChange.map { "\(path) (+\($0.added))" } ?? path
  }

  private static let rowLimit = 6

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    guard call.state == .succeeded else { return failure(of: call) }
    let content = call.arguments["content"].string ?? ""
    let lines = TextBlock.lines(of: content.head(bytes: rowLimit * 1024))
    let rows = lines.prefix(rowLimit).map { StyledText($0, .dim) }
    let hidden = (call.lineChange?.added ?? lines.count) - rows.count
    guard hidden > 0 else { return rows }
    return rows + [StyledText("… \(hidden.counted("more line"))", .dim)]
  }
}

/// File edits: the path, the number of changed lines, and the lines.
enum EditRenderer: ToolRenderer {
  static let tools: Set = ["edit"]

  static func subject(of call: ToolCallActivity) -> String {
    let path = call.arguments["path"].string ?? ""
    return call.lineChange.map { "\(path) (+\($0.added) -\($0.removed))" } ?? path
  }

  private static let rowLimit = 20
  private static let context = 2
  /// Longer texts are not kept in full.
  private static let textLimit = 24 << 10

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    guard call.state == .succeeded else { return failure(of: call) }
    let edits = texts(in: call.arguments)
    let size = edits.reduce(0) { $0 + $1.old.utf8.count + $1.new.utf8.count }
    guard size <= textLimit else { return [StyledText("too long to show", .dim)] }
    let differences = edits.map { LineDiff(from: $0.old, to: $0.new).rows(context: context) }
    let rows = Array(differences.joined(separator: [StyledText("…", .dim)]))
    guard rows.count > rowLimit else { return rows }
    let hidden = StyledText("… \(rows.count - rowLimit + 1) more lines", .dim)
    return rows.prefix(rowLimit - 1) + [hidden]
  }

  private static func texts(in arguments: JSONValue) -> [(old: String, new: String)] {
    (arguments["edits"].array ?? [arguments]).compactMap { edit in
      guard let old = edit["oldText"].string, let new = edit["newText"].string else { return nil }
      return (old, new)
    }
  }
}

/// To-do lists: the number of completed items and the current item.
enum TodoRenderer: ToolRenderer {
  static let tools: Set = [
    "todo", "todos", "todo_read", "todo_write", "todoread", "todowrite", "TodoWrite",
  ]

  static func subject(of call: ToolCallActivity) -> String {
    guard let progress = TodoProgress(call) else { return call.arguments["action"].string ?? "" }
    return "\(progress.completed) of \(progress.total) done"
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    guard let progress = TodoProgress(call) else { return output(of: call) }
    let now = progress.current.map { [StyledText("now: \($0)")] } ?? []
    return now + failure(of: call)
  }
}

/// Questions to the user and their answers.
enum AskRenderer: ToolRenderer {
  static let tools: Set = ["ask"]

  static func subject(of call: ToolCallActivity) -> String {
    let questions = call.arguments["questions"].array ?? []
    let first = questions.first?["question"].string ?? ""
    return questions.count > 1 ? "\(first) (and \(questions.count - 1) more)" : first
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    guard call.state == .succeeded, let answers = call.details["answers"].object else {
      return failure(of: call)
    }
    if answers.isEmpty { return [StyledText("not answered", .dim)] }
    return answers.sorted { $0.key < $1.key }.map { id, answer in
      let values = answer.array ?? [answer]
      return StyledText("\(id): \(values.map { $0.string ?? $0.text() }.joined(separator: ", "))")
    }
  }
}

/// Spawned agents: the name and the task.
enum SpawnAgentRenderer: ToolRenderer {
  static let tools: Set = ["spawn_agent"]

  static func subject(of call: ToolCallActivity) -> String {
    call.arguments["name"].string ?? call.details["name"].string ?? ""
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    let task = call.arguments["message"].string ?? ""
    let isFailure = call.state == .failed
    return isFailure || task.isEmpty ? output(of: call) : [StyledText(task.head(bytes: 1024), .dim)]
  }
}

/// Web searches: the query, the number of results and the first titles.
enum WebSearchRenderer: ToolRenderer {
  static let tools: Set = ["web_search"]

  static func subject(of call: ToolCallActivity) -> String {
    call.arguments["query"].string ?? ""
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    let results = call.details["results"].array ?? []
    guard call.state == .succeeded,
      let count = call.details["resultCount"].int ?? (results.isEmpty ? nil : results.count)
    else { return output(of: call) }
    let titles = results.prefix(3).compactMap { $0["title"].string ?? $0["url"].string }
    return [StyledText(count.counted("result"))]
      + titles.map { StyledText($0, .dim) }
  }
}

/// Page fetches: the address, the HTTP status and the beginning of the page.
enum WebFetchRenderer: ToolRenderer {
  static let tools: Set = ["web_fetch", "web_summarize"]

  static func subject(of call: ToolCallActivity) -> String {
    call.arguments["url"].string ?? ""
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
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
}

/// Unknown tools: the arguments and the end of the output.
enum DefaultRenderer: ToolRenderer {
  static let tools: Set<String> = []

  static func subject(of call: ToolCallActivity) -> String {
    switch call.arguments {
    case .null, [:]: ""
    case .string(let text): text
    default: call.arguments.text()
    }
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    output(of: call)
  }
}

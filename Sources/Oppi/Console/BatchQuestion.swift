// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// `oppi approvals --decide`: marks requests on the full screen, then sends the replies.
enum ApprovalsDecide {
  private static let sameByLines = [
    "read a request with: oppi approvals, oppi approvals show ID",
    "decide it with: oppi approve ID, oppi deny ID",
  ]

  static func run(in context: Context) async throws -> Report {
    guard context.output.policy.destination.isConversation else {
      throw OppiError(.usage, "--decide requires a terminal", hints: sameByLines)
    }
    let context = try context.applying(await Config.load(in: context))
    guard context.output.policy.canDraw else {
      let need = "--decide requires a terminal with cursor control, and draws on it"
      throw OppiError(.usage, need, hints: sameByLines)
    }
    let servers = try context.pairedServers()
    let marks = try await marks(on: servers, in: context)
    guard !marks.isEmpty else {
      return Report(
        Decisions.shape.document(of: Decisions()),
        status: "nothing was sent"
      )
    }
    let count = marks.count == 1 ? "1 reply" : "\(marks.count) replies"
    await context.output.status(StyledText("sending \(count)"))
    let replies = marks.map { ($0.reply, $0.request) }
    return await Decisions(replies, isRead: true, in: context).fullReport
  }

  /// Shows the console's tab of approvals, with marks, until the user leaves; returns the marks that
  /// the user confirmed to send.
  ///
  /// The terminal is restored then.
  private static func marks(
    on servers: [PairedServer],
    in context: Context
  ) async throws -> [BatchMarks.Mark] {
    let screen = ConsoleScreen(
      named: "oppi approvals",
      tabs: [ListTab(ApprovalsSource(marks: BatchMarks()))],
      selected: 0,
      isReadOnly: false,
      now: context.now()
    )
    let end = try await ConsoleLoop(servers, in: context).run(screen)
    let page = (end.tabs.first as? ListTab<ApprovalsSource>)?.page
    return (page as? BatchQuestion)?.confirmed ?? []
  }
}

/// The question before the marks are sent: nothing is selected at first, and only Enter confirms.
///
/// Keys count only after a second without a key, with the counts and the choices on the screen.
struct BatchQuestion: ListPage {
  enum Choice: CaseIterable, LetterChoice {
    case send
    case cancel

    var letter: String { self == .send ? "y" : "n" }
    var label: String { self == .send ? "send" : "cancel" }
  }

  static let tooEarly = "read the counts first; keys count after 1 s"
  static let tooSmall = "window too small for the question; enlarge it, or Esc: cancel"

  private let marks: BatchMarks
  let counts: String
  /// What the user confirmed to send; empty until then.
  private(set) var confirmed: [BatchMarks.Mark] = []
  private var choices = ChoiceRow(Choice.allCases)
  private var gate = TypingGate()
  private var size = ScreenSize(columns: 80, rows: 20)

  init(_ marks: BatchMarks, in model: ConsoleModel) {
    (self.marks, counts) = (marks, marks.counts(in: model))
  }

  // MARK: - Keys

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    let pressed = model.moment
    guard key != .escape, key != .control("c") else { return cancel(&model) }
    guard fits else {
      model.note = Self.tooSmall
      return .stays()
    }
    guard gate.lets(at: pressed) else {
      choices.select(nil)
      model.note = Self.tooEarly
      return .stays()
    }
    switch key {
    case .text("y"), .right: choices.select(.send)
    case .text("n"), .left: choices.select(.cancel)
    case .tab: choices.select(choices.selection == .send ? .cancel : .send)
    case .enter where choices.selection == .cancel: return cancel(&model)
    case .enter:
      guard let why = obstacle(at: pressed) else {
        confirmed = marks.all
        return .stays([.leave])
      }
      model.note = why
    default:
      choices.select(nil)
      gate.close(at: pressed)
    }
    return .stays()
  }

  private func cancel(_ model: inout ConsoleModel) -> PageOutcome {
    model.note = "nothing was sent"
    return .closes()
  }

  /// Why Enter does not send the marks; `nil` if it does.
  private func obstacle(at pressed: Duration) -> String? {
    guard choices.selection == .send else {
      return "nothing is selected; y selects 'send', Enter confirms"
    }
    return choices.isSeen(at: pressed) ? nil : "'send' is selected; Enter confirms"
  }

  // MARK: - Time

  mutating func wasShown(at now: Duration) {
    guard fits else { return }
    gate.wasShown(at: now)
    choices.wasShown(at: now)
  }

  mutating func wait(at now: Duration) { gate.wait(at: now) }

  /// After the user returns to it, it is a new question.
  mutating func isShownAgain() {
    choices.select(nil)
    gate = TypingGate()
  }

  /// Another size, or other counts, count as a new question.
  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) {
    let isSame = marks.counts(in: model) == counts
    guard confirmed.isEmpty, size != self.size || !isSame else { return }
    if !isSame { self = BatchQuestion(marks, in: model) }
    self.size = size
    isShownAgain()
  }

  // MARK: - View

  let coversList = true

  /// Whether the counts and the choices are on the screen as a whole.
  private var fits: Bool { head.count + choiceLines.count <= size.rows && size.columns >= 8 }

  private var head: [StyledText] {
    StyledText("Send: \(counts)?", .warning).folded(to: size.columns)
  }

  private var choiceLines: [StyledText] {
    let rows = choices.lines(columns: size.columns, isListening: gate.isOpen, .plain)
    guard rows.count == 1 else { return rows }
    let note = StyledText(gate.isOpen ? "" : "  \(TypingGate.opening)", .warning)
    return [rows[0].with(note).truncated(to: size.columns)]
  }

  /// The counts, as many marked requests as fit, and the choices; the cursor stands on the selected
  /// choice, or on the counts.
  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    let (head, choiceLines) = (head, choiceLines)
    guard fits else {
      let note = StyledText(Self.tooSmall, .warning).truncated(to: size.columns)
      return ScreenBlock(lines: [note], cursor: .focus())
    }
    let room = size.rows - head.count - choiceLines.count
    let rows = marks.all.map { mark -> StyledText in
      var row = StyledText("  \(mark.word)  ", mark.style)
      row.append(mark.choice.map { "'\($0)'  " } ?? "")
      row.append(mark.request.approval.call)
      row.append("  \(mark.request.place.text)", .dim)
      return row.truncated(to: size.columns)
    }
    var shown = Array(rows.prefix(room))
    if rows.count > room, room > 0 {
      let more = StyledText("  and \(rows.count - room + 1) more", .dim)
      shown[room - 1] = more.truncated(to: size.columns)
    }
    let top = head.count + shown.count
    let cursor = choices.cursor(columns: size.columns, below: top)
    return ScreenBlock(lines: head + shown + choiceLines, cursor: cursor)
  }

  var hints: [KeyHint] {
    [
      KeyHint("y", "select 'send'"), KeyHint("Enter", "confirm"), KeyHint("Esc", "cancel"),
    ]
  }
}

/// The user's marks on requests, until all of them are sent together.
///
/// A mark belongs to the request as it was shown. It is dropped as soon as the request changes or is
/// no longer pending.
struct BatchMarks: Sendable, Equatable {
  struct Mark: Sendable, Equatable {
    let reply: RequestReply
    let request: ListedRequest

    fileprivate var effect: RequestReply.Effect { reply.effect(on: request.request) }

    /// The mark in one word.
    var word: String {
      switch effect {
      case .allow: "allow"
      case .deny: "deny"
      case .answer: "answer"
      }
    }

    var style: Style { effect == .deny ? .warning : .success }

    /// The chosen option, which the word does not tell.
    var choice: String? {
      guard case .answer(.value(let value)) = reply else { return nil }
      return value.safeLine(limit: 40)
    }
  }

  private var marks: [ListedRequest.ID: Mark] = [:]
  /// The requests whose last mark was dropped.
  private(set) var dropped: Set<ListedRequest.ID> = []

  var isEmpty: Bool { marks.isEmpty }

  subscript(id: ListedRequest.ID) -> Mark? { marks[id] }

  /// Marks one request with a reply that the user confirmed with the whole request in view, or with
  /// a denial.
  ///
  /// Returns false for a reply that cannot be marked: an approval of more than this call, or a reply
  /// that the request does not accept.
  mutating func mark(_ request: ListedRequest, _ reply: RequestReply) -> Bool {
    switch reply {
    case .decision(.allowForSession), .decision(.allowEverywhere): return false
    case .decision(.allow), .decision(.deny), .answer: break
    }
    guard (try? request.request.accepting(reply)) != nil else { return false }
    marks[request.id] = Mark(reply: reply, request: request)
    dropped.remove(request.id)
    return true
  }

  mutating func unmark(_ id: ListedRequest.ID) {
    marks[id] = nil
    dropped.remove(id)
  }

  /// Drops the marks of requests that changed or are no longer pending, and returns them, the most
  /// urgent first.
  mutating func drop(after board: FleetView, at now: Timestamp) -> [Mark] {
    let lost = marks.values.filter { !board.isPending(asShown: $0.request, at: now) }
    for mark in lost {
      marks[mark.request.id] = nil
      dropped.insert(mark.request.id)
    }
    return lost.sorted { $0.request.approval < $1.request.approval }
  }

  /// The marks in the order in which they are sent: the most urgent first.
  var all: [Mark] { marks.values.sorted { $0.request.approval < $1.request.approval } }

  /// The numbers of requests with each mark, and of the other pending requests.
  func counts(in model: ConsoleModel) -> String {
    func count(_ effect: RequestReply.Effect) -> Int { marks.values.count { $0.effect == effect } }
    let answers = count(.answer)
    let left = model.board.openRequests(at: model.now).count { marks[$0] == nil }
    return "allow \(count(.allow)), deny \(count(.deny))"
      + (answers > 0 ? ", answer \(answers)" : "") + ", leave \(left)"
  }
}

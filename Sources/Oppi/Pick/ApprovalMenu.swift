// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiRendering
import OppiSystem

/// Shows a request as a menu: its call or text in rows, then the possible replies.
///
/// The first row, which Enter selects, always opens the request elsewhere.
struct ApprovalMenu: Sendable {
  enum Word: Sendable, Equatable {
    case read
    case deny
    case approve
    case answer(QuestionAnswer)

    /// What it replies to the request; `nil` if it replies nothing.
    var reply: RequestReply? {
      switch self {
      case .read: nil
      case .deny: .decision(.deny)
      case .approve: .decision(.allow)
      case .answer(let answer): .answer(answer)
      }
    }
  }

  /// Starts the rows of the request, and only those, so that their text cannot pass for a reply.
  private static let bar = "| "
  /// The lines of a request that is not shown in full.
  private static let lineLimit = 4

  let menu: Menu
  private let request: HumanRequest
  private let words: [Word]
  /// The rows of the confirmation before the agreement.
  private let confirmed: [Menu.Row]

  /// Offers a reply that lets the agent continue only if ``ApprovalPolicy`` allows it.
  ///
  /// - Parameters:
  ///   - row: The request.
  ///   - title: The menu's title, with the time left.
  ///   - sight: The visible size of a menu; `nil` if unknown.
  ///   - fold: Wraps a whole request to rows of at most the given columns.
  init(
    _ row: ListedRequest,
    title: String,
    in sight: MenuSight?,
    folding fold: (HumanRequest, _ columns: Int) -> [String]
  ) {
    let request = row.request
    self.request = request
    let isWhole = ApprovalPolicy.shortLines(of: request) != nil
    let text =
      isWhole
      ? fold(request, (sight?.columns ?? Picker.columns) - Self.bar.count)
      : request.lines.prefix(Self.lineLimit).map { $0.safeLine(limit: 100) } + ["(truncated)"]
    let offers = Self.offers(for: request, row.approval.risk, rows: text.count, in: sight)
    let purpose = request.kind.isDecision ? "approve" : "answer"
    let letsContinue = offers.contains { !request.isRefused(by: $0.word) }
    let opening = "Open in a terminal" + (letsContinue ? "" : " to \(purpose) it")
    let place = Menu.Row("From \(row.place.text)".safeLine(limit: 160))
    let shown = text.map { Menu.Row(Self.bar + $0) }
    confirmed = [Menu.Row("No, go back"), place] + shown
    var rows = [(Menu.Row(opening), Word.read), (place, Word.read)]
    rows += shown.map { ($0, .read) }
    rows.append((Menu.Row(request.refusal), .deny))
    rows += offers.map { (Menu.Row($0.label), $0.word) }
    menu = Menu(title, rows.map(\.0))
    words = rows.map(\.1)
  }

  private static func offers(
    for request: HumanRequest,
    _ listedRisk: Risk,
    rows: Int,
    in sight: MenuSight?
  ) -> [(label: String, word: Word)] {
    switch request {
    case .permission(let request):
      let surface = ApprovalPolicy.Surface.menu(
        listedRisk: listedRisk,
        callRows: rows,
        visibleRows: sight?.rows
      )
      let obstacle = ApprovalPolicy.obstacle(to: .allow, request, on: surface)
      return obstacle == nil ? [("Approve once", .approve)] : []
    case .question(let question):
      let choices = ApprovalPolicy.choices(atAGlanceOf: question)
      let surface = ApprovalPolicy.Surface.menu(
        listedRisk: listedRisk,
        callRows: rows + max(0, choices.count - 1),
        visibleRows: sight?.rows
      )
      return choices.filter {
        ApprovalPolicy.obstacle(to: $0.answer, question, on: surface) == nil
      }
      .map { ("Answer: \($0.label)", .answer($0.answer)) }
    }
  }

  /// Asks to confirm a reply, with the refusal first: typing in a searchable menu may filter out
  /// every row but the reply.
  func confirmation(of word: Word) -> Menu {
    Menu(word == .approve ? "Approve?" : "Answer?", confirmed + [Menu.Row(agreement(to: word))])
  }

  private func agreement(to word: Word) -> String {
    guard case .answer = word, let index = words.firstIndex(of: word) else {
      return "Yes, run it once"
    }
    return "Yes, send '\(menu.rows[index].text)'"
  }

  /// Whether a row of the confirmation agrees to the reply.
  func isAgreement(at index: Int) -> Bool {
    index == confirmed.count
  }

  func word(at index: Int) -> Word { words.indices.contains(index) ? words[index] : .read }

  /// Shows the menu until the user replies.
  ///
  /// Returns to the request after a reply that is faster than a user can read it, or that is not
  /// confirmed. A refusal needs neither.
  ///
  /// - Throws: `.hasty` after ``ApprovalPolicy/menuLooks`` returns.
  func word(from runner: MenuRunner, on loop: EventLoop) async throws(MenuError) -> Word {
    for _ in 0..<ApprovalPolicy.menuLooks {
      let begin = loop.now
      let word = word(at: try await runner.decide(on: menu))
      guard let reply = word.reply, reply.effect(on: request) != .deny else { return word }
      let elapsed = begin.duration(to: loop.now)
      guard elapsed >= ApprovalPolicy.menuReading else { continue }
      let confirmation = confirmation(of: word)
      if isAgreement(at: try await runner.decide(on: confirmation)) { return word }
    }
    throw .hasty
  }
}

extension HumanRequest {
  fileprivate func isRefused(by word: ApprovalMenu.Word) -> Bool {
    guard case .answer(let answer) = word else { return false }
    return question?.isRefused(by: answer) == true
  }

  /// The row of the refusal.
  fileprivate var refusal: String {
    switch kind {
    case .permission: "Deny"
    case .confirm: "No"
    default: "Cancel"
    }
  }
}

extension ApprovalMenu {
  /// The menu of a request, in the words of the other commands.
  init(_ row: ListedRequest, in sight: MenuSight?) {
    self.init(
      row,
      title: "\(row.approval.tool), \(row.timeLeft)".safeLine(limit: 40),
      in: sight
    ) { request, columns in
      RequestText.rows(of: request, width: columns).map(\.plain)
    }
  }
}

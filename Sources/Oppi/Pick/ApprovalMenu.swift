// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTerminal

/// Shows a request as a menu: its call or text in rows, then the possible replies.
///
/// The first row, which Enter selects, always opens the request elsewhere.
struct ApprovalMenu: Sendable {
  /// Starts the rows of the request, and only those, so that their text cannot pass for a reply.
  private static let bar = "| "
  /// The lines of a request that is not shown in full.
  private static let lineLimit = 4

  let menu: Menu
  private let request: HumanRequest
  /// What each row replies; `nil` if it opens the request.
  private let replies: [RequestReply?]
  /// The rows of the confirmation before the agreement.
  private let confirmed: [Menu.Row]

  /// Offers a reply that lets the agent continue only if ``ApprovalPolicy`` allows it.
  ///
  /// `sight` is the visible size of a menu; `nil` if unknown.
  init(_ row: ListedRequest, in sight: MenuSight?) {
    request = row.request
    let text = Self.text(of: request, in: sight)
    let offers = Self.offers(to: request, row.approval.risk, rows: text.count, in: sight)
    let purpose = request.kind.isDecision ? "approve" : "answer"
    let letsContinue = offers.contains { offer in
      offer.reply.map { $0.effect(on: row.request) != .deny } ?? false
    }
    let opening = "Open in a terminal" + (letsContinue ? "" : " to \(purpose) it")
    let place = Menu.Row("From \(row.place.text)".safeLine(limit: 160))
    let shown = text.map { Menu.Row(Self.bar + $0) }
    confirmed = [Menu.Row("No, go back"), place] + shown
    let refusal = Menu.Row(request.kind.offeredRefusal.label)
    menu = Menu(
      "\(row.approval.tool), \(row.timeLeft)".safeLine(limit: 40),
      [Menu.Row(opening), place] + shown + [refusal] + offers.map { Menu.Row($0.label) }
    )
    let reading: [RequestReply?] = Array(repeating: nil, count: shown.count + 2)
    replies = reading + [RequestReply.decision(.deny)] + offers.map(\.reply)
  }

  /// The whole request in rows, or the first lines of one that is too long to be approved here.
  private static func text(of request: HumanRequest, in sight: MenuSight?) -> [String] {
    guard ApprovalPolicy.shortLines(of: request) != nil else {
      return request.lines.prefix(lineLimit).map { $0.safeLine(limit: 100) } + ["(truncated)"]
    }
    let columns = (sight?.columns ?? Picker.columns) - bar.count
    return RequestText.rows(of: request, width: columns).map(\.plain)
  }

  private static func offers(
    to request: HumanRequest,
    _ listedRisk: Risk,
    rows: Int,
    in sight: MenuSight?
  ) -> [ApprovalPolicy.Offer] {
    let count = ApprovalPolicy.offers(atAGlanceTo: request).count
    let surface = ApprovalPolicy.Surface.menu(
      listedRisk: listedRisk,
      callRows: rows + max(0, count - 1),
      visibleRows: sight?.rows
    )
    return ApprovalPolicy.offers(to: request, on: surface).map { offer in
      let isApproval = offer.reply == .decision(.allow)
      let label = isApproval ? "\(offer.label) once" : "Answer: \(offer.label)"
      return ApprovalPolicy.Offer(label, offer.reply)
    }
  }

  /// Asks to confirm a reply, with the refusal first: typing in a searchable menu may filter out
  /// every row but the reply.
  func confirmation(of reply: RequestReply) -> Menu {
    guard reply != .decision(.allow) else {
      return Menu("Approve?", confirmed + [Menu.Row("Yes, run it once")])
    }
    let row = replies.firstIndex(of: reply).map { menu.rows[$0].text } ?? ""
    return Menu("Answer?", confirmed + [Menu.Row("Yes, send '\(row)'")])
  }

  /// Whether a row of the confirmation agrees to the reply.
  func isAgreement(at index: Int) -> Bool {
    index == confirmed.count
  }

  /// What a row replies; `nil` if it opens the request.
  func reply(at index: Int) -> RequestReply? {
    replies.indices.contains(index) ? replies[index] : nil
  }

  /// Shows the menu until the user replies; returns `nil` to open the request.
  ///
  /// Returns to the request after a reply that is faster than a user can read it, or that is not
  /// confirmed. A refusal needs neither.
  ///
  /// - Throws: `.hasty` after ``ApprovalPolicy/menuLooks`` returns.
  func reply(
    from runner: MenuRunner,
    on loop: EventLoop
  ) async throws(MenuError) -> RequestReply? {
    for _ in 0..<ApprovalPolicy.menuLooks {
      let begin = loop.now
      guard let reply = reply(at: try await runner.decide(on: menu)) else { return nil }
      guard reply.effect(on: request) != .deny else { return reply }
      let elapsed = begin.duration(to: loop.now)
      guard elapsed >= ApprovalPolicy.menuReading else { continue }
      let confirmation = confirmation(of: reply)
      if isAgreement(at: try await runner.decide(on: confirmation)) { return reply }
    }
    throw .hasty
  }
}

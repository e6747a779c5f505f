// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

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
    let request = row.request
    let text = Self.text(of: request, in: sight)
    let surface = ApprovalPolicy.Surface.menu(
      listedRisk: row.approval.risk,
      callRows: text.count + max(0, ApprovalPolicy.offers(atAGlanceTo: request).count - 1),
      visibleRows: sight?.rows
    )
    let offers = ApprovalPolicy.offers(to: request, on: surface)
    let letsContinue = offers.contains { offer in
      offer.reply.map { $0.effect(on: request) != .deny } ?? false
    }
    let purpose = request.needs == .approval ? "approve" : "answer"
    let opening = "Open in a terminal" + (letsContinue ? "" : " to \(purpose) it")
    let labels = offers.map { offer in
      offer.reply == .decision(.allow) ? "\(offer.label) once" : "Answer: \(offer.label)"
    }
    let place = Menu.Row("From \(row.place.text)".safeLine(limit: 160))
    let shown = [place] + text.map { Menu.Row(Self.bar + $0) }
    let choices = [request.offeredRefusal.label] + labels
    self.request = request
    confirmed = [Menu.Row("No, go back")] + shown
    menu = Menu(
      "\(row.approval.tool), \(row.timeLeft)".safeLine(limit: 40),
      [Menu.Row(opening)] + shown + choices.map { Menu.Row($0) }
    )
    let reading: [RequestReply?] = Array(repeating: nil, count: shown.count + 1)
    replies = reading + [RequestReply.decision(.deny)] + offers.map(\.reply)
  }

  /// The whole request in rows, or the first lines of one that is too long to be approved here.
  private static func text(of request: HumanRequest, in sight: MenuSight?) -> [String] {
    guard ApprovalPolicy.shortLines(of: request) != nil else {
      return [request.allowanceNote].compactMap(\.self)
        + request.lines.prefix(lineLimit).map { $0.safeLine(limit: 100) } + ["(truncated)"]
    }
    let columns = (sight?.columns ?? Picker.columns) - bar.count
    return RequestText.rows(of: request, width: columns).map(\.plain)
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
  func isAgreement(at index: Int) -> Bool { index == confirmed.count }

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

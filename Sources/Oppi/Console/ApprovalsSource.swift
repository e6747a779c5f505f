// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// What a key does with a request, or with the marks of requests.
enum RequestAction: TabAction, Equatable {
  case open
  case markDeny
  case unmark
  case send
  case discard
}

extension ConsoleAction {
  static func request(_ action: RequestAction) -> ConsoleAction { .own(action) }
}

/// The requests of all servers; with marks, replies are kept until all of them are sent together.
///
/// A request is marked allow only on its page, by the rules of the chat. The marks are not sent from
/// here: ``BatchQuestion`` has them after the confirmation.
struct ApprovalsSource: ListSource {
  /// `nil` if each reply is sent at once.
  private(set) var marks: BatchMarks?
  /// Whether the last action asked to leave without sending.
  private var isLeaving = false

  init(marks: BatchMarks? = nil) { self.marks = marks }

  let title = "Approvals"
  let needs = TableNeeds.list

  func count(in model: ConsoleModel) -> Int { model.board.openCount(at: model.now) }

  // MARK: - The list

  func frame(in model: ConsoleModel) -> ListFrame {
    let groups = RequestFilter.allCases.map { filter in
      "\(filter.title) \(model.board.openCount(filter, at: model.now))"
    }
    return ListFrame(
      groups: groups,
      notices: marks.map { notices(of: $0, model) } ?? waiting(model),
      empty: "No pending approvals.",
      unknown: model.emptiness,
      emptyNote: GateNote.text(of: model.board.servers.map { ($0.name, $0.answer?.way) })
    )
  }

  private func waiting(_ model: ConsoleModel) -> [StyledText] {
    let count = model.board.waitingCount(at: model.now)
    guard count > 0 else { return [] }
    let subject = count == 1 ? "1 session waits" : "\(count) sessions wait"
    return [StyledText("! \(subject) for you in Work", .warning)]
  }

  /// The numbers of marks, and how to make and send them.
  private func notices(of marks: BatchMarks, _ model: ConsoleModel) -> [StyledText] {
    [
      StyledText(marks.counts(in: model), .heading),
      StyledText("open a request to allow or answer it; nothing is sent before s", .dim),
    ]
  }

  func items(group: Int, matching text: String, in model: ConsoleModel) -> [ListedRequest] {
    model.board.requests(RequestFilter.allCases[group], matching: text, at: model.now)
  }

  func waits(_ request: ListedRequest, in model: ConsoleModel) -> Bool {
    request.isOpen(at: model.now)
  }

  func item(_ id: ListedRequest.ID, in model: ConsoleModel) -> ListedRequest? {
    model.board.request(id)
  }

  func detail(of request: ListedRequest, width: Int, in model: ConsoleModel) -> [StyledText] {
    model.detail(of: request, width: width)
  }

  func columns(in model: ConsoleModel) -> [ListColumn<ListedRequest>] {
    let columns = ListedRequest.columns
    guard let marks else { return columns }
    return [.cell("MARK", .kept) { request, _ in Self.mark(of: request.id, in: marks) }] + columns
  }

  private static func mark(of id: ListedRequest.ID, in marks: BatchMarks) -> StyledText {
    if let mark = marks[id] { return StyledText(mark.word, mark.style) }
    return marks.dropped.contains(id) ? StyledText("dropped", .error) : StyledText("-", .dim)
  }

  // MARK: - Keys

  func keys(for request: ListedRequest?, in model: ConsoleModel) -> [KeyRow] {
    let purpose = marks == nil ? "decide it" : "mark it allow or deny"
    let openHelp = "Show the selected request in full, to \(purpose)"
    let open = KeyRow.enter(.request(.open), help: openHelp, when: request != nil)
    let canReply = request.map { $0.isOpen(at: model.now) && !model.isReadOnly } ?? false
    guard let marks else {
      let deny = request.map { ConsoleAction.ask(.deny([$0])) }
      return [open, KeyRow("d", "deny", help: Self.denyHelp, deny, when: canReply)]
    }
    let isOpen = request?.isOpen(at: model.now) ?? false
    let hasMark = request.flatMap { marks[$0.id] } != nil
    let unmarkHelp = "Remove the mark of the selected request"
    return [
      open, KeyRow("d", "deny", help: "Mark it deny", .request(.markDeny), when: isOpen),
      KeyRow(
        [.text("u"), .backspace],
        "u",
        "unmark",
        help: unmarkHelp,
        .request(.unmark),
        when: hasMark
      ),
      KeyRow(
        "s",
        "send",
        help: "Send all marks; asks first",
        .request(.send),
        when: !marks.isEmpty
      ),
    ]
  }

  private static let denyHelp = "Deny it; asks first"

  func keys(forMarked requests: [ListedRequest], in model: ConsoleModel) -> [KeyRow] {
    let open = requests.filter { $0.isOpen(at: model.now) }
    let deny = ConsoleAction.ask(.deny(open))
    return [KeyRow("d", "deny", help: Self.denyHelp, deny, when: !open.isEmpty)]
  }

  /// A review of marks only sends them.
  var canStart: Bool { marks == nil }

  func canMark(in model: ConsoleModel) -> Bool { marks == nil && !model.isReadOnly }

  func lastKeys(isFiltered: Bool, in model: ConsoleModel) -> [KeyRow] {
    let groups = ConsoleKeys.groups("filter")
    guard let marks else { return groups }
    let help = "Exit without sending; a second q is needed if there are marks"
    let mustRepeat = !marks.isEmpty && !isLeaving
    return groups + [
      KeyRow([.text("q"), .control("d")], "q", help: help, .request(.discard), when: mustRepeat)
    ]
  }

  mutating func perform(
    _ action: ConsoleAction,
    on request: ListedRequest?,
    in model: inout ConsoleModel
  ) -> (any ListPage)? {
    let own = action.own(RequestAction.self)
    isLeaving = own == .discard
    switch own {
    case .open: return request.flatMap { model.page(of: $0, to: marks == nil ? .decide : .mark) }
    case .markDeny:
      guard let request, request.isOpen(at: model.now) else { break }
      _ = marks?.mark(request, .decision(.deny))
    case .unmark: if let request { marks?.unmark(request.id) }
    case .send: return marks.map { BatchQuestion($0, in: model) }
    case .discard: model.note = "nothing was sent; press q again to exit and discard the marks"
    case nil: break
    }
    return nil
  }

  // MARK: - Replies

  mutating func settle(
    _ effects: [ConsoleEffect],
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    guard marks != nil, case .reply(let reply, let request, _)? = effects.first else {
      return model.beginReplies(effects)
    }
    model.repliedAt = model.moment
    mark(request, reply, in: &model)
    return []
  }

  private mutating func mark(
    _ request: ListedRequest,
    _ reply: RequestReply,
    in model: inout ConsoleModel
  ) {
    guard model.board.isPending(asShown: request, at: model.now),
      marks?.mark(request, reply) == true
    else {
      model.note = "not marked: no longer pending, or changed"
      return
    }
    model.note = "marked: \(marks?[request.id]?.word ?? ""); s sends all marks"
  }

  /// Drops the marks of requests that changed or ended, with a notice; the question about them starts
  /// again with the other marks.
  mutating func adapt(_ page: inout (any ListPage)?, to model: inout ConsoleModel) -> Bool {
    let lost = marks?.drop(after: model.board, at: model.now) ?? []
    guard let marks, let first = lost.first else { return false }
    if page is BatchQuestion { page = marks.isEmpty ? nil : BatchQuestion(marks, in: model) }
    let what = lost.count == 1 ? first.request.approval.call : "\(lost.count) requests"
    model.note = "mark dropped, no longer pending or changed: \(what.safeLine(limit: 100))"
    return true
  }
}

// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText

/// What all tabs of the console share, also in the line form.
struct ConsoleModel: Sendable {
  var board = FleetView()
  /// Whether nothing can be changed from here.
  let isReadOnly: Bool
  /// What the terminal can show instead of the marks of Markdown.
  let look: MarkdownLook
  /// The latest moment, on this machine's clock.
  private(set) var now: Timestamp
  /// When the present event happened, on the console's clock; for a key, when it was read.
  var moment = Duration.zero
  /// A notice, which the next key removes.
  var note: String?
  /// The replies to sessions that were not sent; the field of a reply starts with them.
  var drafts = UnsentTexts()
  /// The prompt for a new session that was not sent; the next form starts with it.
  var newPrompt: NewPrompt.Order?
  /// The number of texts that were not sent, which end with the console.
  var unsentCount: Int { drafts.count + (newPrompt == nil ? 0 : 1) }
  /// When a reply was confirmed: for a moment, an Enter still belongs to it.
  var repliedAt: Duration?
  /// The number of changes whose results are not known yet.
  private(set) var pendingChanges = 0
  /// The requests, as they were shown, to which a reply may or may not have reached the server.
  private var doubtful: [ListedRequest] = []
  /// The number of other changes, also of chats that were left, that may or may not have reached a
  /// server.
  private var doubtfulChanges = 0
  /// What the time of day is ahead of the console's clock.
  private var epoch: Timestamp

  /// `now` is the time of day at the start, which is 0 on the console's clock.
  init(isReadOnly: Bool, look: MarkdownLook = .styled, now: Timestamp) {
    (self.isReadOnly, self.look, self.now, epoch) = (isReadOnly, look, now, now)
  }

  /// `moment` is on the console's clock.
  mutating func keepTime(at moment: Duration) {
    (self.moment, now) = (moment, epoch.moved(by: moment))
  }

  /// Follows changes of the time of day, as after the machine slept.
  private mutating func keepTime(_ time: Timestamp) {
    epoch = time.moved(by: .zero - moment)
    now = time
  }

  /// The number of changes without a confirmed result.
  var unconfirmedCount: Int { pendingChanges + doubtful.count + doubtfulChanges }

  /// Counts the effects whose results are to be waited for.
  mutating func begin(_ effects: some Sequence<ConsoleEffect>) {
    for effect in effects where effect.isChange { pendingChanges += 1 }
  }

  /// Takes what news tell of the servers, their requests, and the time.
  mutating func take(_ news: ConsoleNews) {
    switch news {
    case .paired(let servers): board.pair(servers)
    case .looked(let id, .success(let answer)):
      keepTime(answer.at)
      board.take(answer, of: id)
    case .looked(let id, .failure(let failure)): board.take(failure, of: id)
    case .decided(let id, let decisions): board.take(decisions, of: id, at: now)
    case .replied(let reply, let request, let outcome, _):
      board.end(reply, to: request, outcome, at: now)
      switch outcome {
      case .unknown?, .unconfirmed?:
        if !doubtful.contains(where: request.isSame) { doubtful.append(request) }
      case .decided?: doubtful.removeAll(where: request.isSame)
      // What became of an earlier reply is still unknown.
      case .tooLate?, .changed?, nil: break
      }
    case .unconfirmed: doubtfulChanges += 1
    case .unsent(let text, let id): drafts.keep(text, for: id)
    case .own(WorkNews.notLaunched(let order)): newPrompt = order
    case .clock(let time): keepTime(time)
    case .changeEnded: pendingChanges = max(0, pendingChanges - 1)
    default: break
    }
  }

  /// What to do about a message that may or may not have reached its server.
  ///
  /// The advice comes first: a row shows the start of a notice.
  static func unconfirmed(_ message: String) -> String {
    "not confirmed; check the session before you send it again: '\(message)'"
  }

  /// Leaves a chat; returns a notice of the message that may or may not have reached its server.
  mutating func leave(_ chat: ChatState) -> String? {
    let message = chat.mail.outgoing.first { !$0.isHeld }
    doubtfulChanges += chat.unconfirmedCount
    let unsent = chat.images.unsentCount
    return message.map { Self.unconfirmed($0.line(limit: 400)) }
      ?? (unsent > 0 ? "\(unsent.counted("image")) not sent; attach again" : nil)
  }

  /// Whether a server has not answered yet.
  var isLoading: Bool { board.servers.contains(where: \.isNew) }

  /// Why nothing is listed although there may be something; `nil` if a server has answered.
  var emptiness: String? {
    if isLoading { return ConsoleEmpty.loading }
    let isUnknown = !board.servers.isEmpty && board.servers.allSatisfy { $0.answer == nil }
    return isUnknown ? ConsoleEmpty.unknown : nil
  }
}

/// The console in a form: drawn, or line by line.
protocol ConsoleForm: Sendable {
  var model: ConsoleModel { get }

  /// The open chat.
  var chat: ChatState? { get }
}

extension ConsoleForm {
  /// Whether the result of anything that was sent is still to come.
  var isUnsettled: Bool { model.pendingChanges > 0 || chat?.isUnsettled == true }

  /// The number of changes without a confirmed result, also of the chat.
  var unconfirmedCount: Int { model.unconfirmedCount + (chat?.unconfirmedCount ?? 0) }
}

/// A part of the console with its own list and keys; performs no input or output.
protocol ConsoleTab: Sendable {
  var title: String { get }

  /// The number of items that need the user.
  func count(in model: ConsoleModel) -> Int

  /// The keys that this tab adds, for its current state.
  func keys(in model: ConsoleModel) -> [KeyRow]

  /// Whether the list can be filtered by a text.
  var canFilter: Bool { get }

  /// The keys that the footer shows while the tab handles all keys itself, as while text is typed or
  /// a request is open; otherwise `nil`.
  var ownHints: [KeyHint]? { get }

  /// Handles a key while the tab handles all keys.
  mutating func take(_ key: Key, in model: inout ConsoleModel) -> [ConsoleEffect]

  /// Performs an action of ``keys(in:)``.
  mutating func perform(_ action: ConsoleAction, in model: inout ConsoleModel) -> [ConsoleEffect]

  /// The text that `y` copies; `nil` for none.
  func copyText(in model: ConsoleModel) -> String?

  /// Sets the text of the filter; empty for none.
  mutating func filter(by text: String)

  /// Handles the mouse; returns whether what is selected is to be opened.
  mutating func point(
    _ event: MouseEvent,
    _ layout: ConsoleLayout,
    in model: ConsoleModel
  ) -> Bool

  /// Searches a text on the servers; `nil` if the tab has no such search.
  mutating func search(_ text: String) -> [ConsoleEffect]?

  /// Handles the result of an effect.
  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> [ConsoleEffect]

  /// Adapts to the model and the layout, before each view.
  mutating func fit(_ layout: ConsoleLayout, _ model: ConsoleModel)

  /// Records that the view was on the screen.
  mutating func wasShown(at now: Duration)

  /// Handles the passing of time, also while the tab is not shown.
  mutating func wait(in model: inout ConsoleModel) -> [ConsoleEffect]

  /// The effects when the tab is shown, such as reading its data.
  func opening(in model: ConsoleModel) -> [ConsoleEffect]

  /// What the row of notices tells while there is nothing else; `nil` for nothing.
  var notice: String? { get }

  /// The number of its own texts that were not sent.
  var unsentCount: Int { get }

  /// The user has chosen the tab.
  mutating func wasChosen(in model: ConsoleModel)

  /// The user returns to the tab, or the program continues after a stop.
  mutating func isShownAgain()

  /// Draws the part of the screen between the banner and the footer; returns the cursor.
  func draw(on canvas: inout Canvas, _ layout: ConsoleLayout, _ model: ConsoleModel) -> Cursor?
}

extension ConsoleTab {
  func count(in model: ConsoleModel) -> Int { 0 }
  var canFilter: Bool { true }
  var takesAllKeys: Bool { ownHints != nil }
  func copyText(in model: ConsoleModel) -> String? { nil }
  var notice: String? { nil }
  var unsentCount: Int { 0 }
  mutating func filter(by text: String) {}
  mutating func search(_ text: String) -> [ConsoleEffect]? { nil }
  mutating func point(
    _ event: MouseEvent,
    _ layout: ConsoleLayout,
    in model: ConsoleModel
  ) -> Bool { false }
  mutating func wasChosen(in model: ConsoleModel) {}
}

// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// What is open in place of a list, or next to it on a wide screen, and takes all keys.
protocol ListPage: Sendable {
  /// The keys that work now, for the footer.
  var hints: [KeyHint] { get }

  /// Whether it takes the place of the list on a wide screen, too.
  var coversList: Bool { get }

  /// The effects when it opens, such as reading what it shows.
  var opening: [ConsoleEffect] { get }

  /// Handles a key; `pressed` is when it was read.
  mutating func take(_ key: Key, at pressed: Duration, in model: inout ConsoleModel) -> PageOutcome

  /// Handles the result of an effect.
  mutating func take(_ news: ConsoleNews, in model: ConsoleModel) -> [ConsoleEffect]

  /// Adapts to its area and the model, before each view.
  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel)

  /// Records that the view was on the screen.
  mutating func wasShown(at now: Duration)

  /// Handles the passing of time, also while the tab is not shown.
  mutating func wait(at now: Duration)

  /// The user returns to the tab, or the program continues after a stop.
  mutating func isShownAgain()

  /// The view for the last size.
  func view(in model: ConsoleModel) -> ScreenBlock
}

extension ListPage {
  var coversList: Bool { false }
  var opening: [ConsoleEffect] { [] }
  mutating func take(_ news: ConsoleNews, in model: ConsoleModel) -> [ConsoleEffect] { [] }
  mutating func wasShown(at now: Duration) {}
  mutating func wait(at now: Duration) {}
  mutating func isShownAgain() {}
}

/// What a key did on a page.
enum PageOutcome: Sendable {
  case stays([ConsoleEffect] = [])
  /// Back to the list.
  case closes([ConsoleEffect] = [])
  /// Back to the list, whose source takes the result.
  case returns(PageResult)
}

/// What a page leaves to the source of its list.
enum PageResult: Sendable {
  /// The user confirmed a reply to a request as it was shown; a reason is sent after a denial.
  case reply(RequestReply, to: BoardRequest, because: String?)
  /// A message that was not sent; empty for none.
  case draft(String, for: BoardSession.ID)
}

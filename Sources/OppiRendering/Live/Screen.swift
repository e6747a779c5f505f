// SPDX-License-Identifier: MIT

package import OppiModel

/// A program on a terminal as a value: events change it and bring about effects, and its picture is
/// made of nothing else.
///
/// It reads no keys, draws nothing and knows no clock, so that it is tested without a terminal.
package protocol Screen: Sendable {
  /// What the program is told beside keys: news of a server, or what came of an effect.
  associatedtype News: Sendable
  /// What is to be done outside of the terminal.
  associatedtype Effect: Sendable

  /// Takes an event.
  ///
  /// - Parameters:
  ///   - event: What has happened.
  ///   - now: The moment, since some beginning.
  /// - Returns: What is to be done, in order.
  mutating func update(_ event: ScreenEvent<News>, at now: Duration) -> [ScreenEffect<Effect>]

  /// Makes the picture for the size that the screen was told last.
  ///
  /// - Parameters:
  ///   - moment: The time of day, to count from.
  ///   - frame: The number of the picture of animations; constant where motion is unwanted.
  /// - Returns: What is to be seen.
  func view(at moment: Timestamp, frame: Int) -> ScreenBlock
}

/// Something that happens to a ``Screen``.
package enum ScreenEvent<News: Sendable>: Sendable {
  /// A key, and the moment at which it was read.
  case key(Key, at: Duration)
  /// The terminal has this size from now on; it comes before all else.
  case resized(ScreenSize)
  /// The picture of the screen as it is now has been written to the terminal.
  case shown
  /// Time has passed.
  case tick
  /// The program goes on after a stop, with whatever the person has done meanwhile.
  case continued
  /// The text that was given to an editor, as it came back; `nil` where the editor failed, with why.
  case edited(String?, failure: String?)
  case news(News)
}

/// Something that a ``Screen`` wants done.
package enum ScreenEffect<Effect: Sendable>: Sendable {
  /// What the terminal has no part in.
  case perform(Effect)
  /// Lines for good, above the picture.
  case print([StyledText])
  /// The text is to be edited in the user's editor.
  case edit(String)
  /// The shell is to get the terminal, as after Ctrl-Z elsewhere.
  case suspend
  /// What is on the terminal is gone or unknown.
  case redraw
  /// The program is over.
  case leave
}

/// The columns and rows of a terminal, at least 1 of each.
package struct ScreenSize: Sendable, Equatable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (max(1, columns), max(1, rows))
  }
}

/// The picture of a ``Screen``: lines no wider than the terminal, and where the cursor is seen in
/// them; `nil` hides it.
package struct ScreenBlock: Sendable {
  package var lines: [StyledText]
  package var cursor: (row: Int, column: Int)?

  package init(lines: [StyledText], cursor: (row: Int, column: Int)? = nil) {
    (self.lines, self.cursor) = (lines, cursor)
  }
}

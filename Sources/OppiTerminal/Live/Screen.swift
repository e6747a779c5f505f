// SPDX-License-Identifier: MIT

package import OppiText

/// A terminal program as a value: events change its state and return effects.
///
/// It does not read keys, draw or read a clock, so that it can be tested without a terminal.
package protocol Screen: Sendable {
  /// Events other than keys, such as results of effects.
  associatedtype News: Sendable
  /// Actions outside the terminal.
  associatedtype Effect: Sendable

  /// Handles an event and returns the effects, in order; `now` is the time since a fixed moment.
  mutating func update(_ event: ScreenEvent<News>, at now: Duration) -> [ScreenEffect<Effect>]

  /// Returns the view for the latest size.
  ///
  /// `moment` is the time of day; `frame` is the number of the animation frame, constant without
  /// animation.
  func view(at moment: Timestamp, frame: Int) -> ScreenView
}

package enum ScreenEvent<News: Sendable>: Sendable {
  /// A key and the time at which it was read.
  case key(Key, at: Duration)
  /// A button or the wheel of the mouse, which is off unless the user has enabled it, and the time at
  /// which it was read.
  case mouse(MouseEvent, at: Duration)
  /// The size of the terminal; always the first event.
  case resized(ScreenSize)
  /// The current view has been written to the terminal.
  case shown
  case tick
  /// The program continues after it was stopped.
  case continued
  /// The text from the editor; `nil` if the editor failed, with the reason.
  case edited(String?, failure: String?)
  case news(News)
}

package enum ScreenEffect<Effect: Sendable>: Sendable {
  case perform(Effect)
  /// Print lines permanently above the view.
  case print([StyledText])
  /// Edit the text in the user's editor.
  case edit(String)
  /// Return to the shell, as Ctrl-Z does.
  case suspend
  /// Redraw everything, because the displayed lines are gone or unknown.
  case redraw
  /// Copy a text to the clipboard of the terminal.
  case copy(String)
  /// Report the mouse from now on, or no longer; the program ends it in any case.
  case mouse(Bool)
  /// Call a user who looks at something else: the bell, and a notification of the terminal.
  case call(String)
  case leave
}

/// The size of a terminal, at least 1 in each direction.
package struct ScreenSize: Sendable, Equatable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (max(1, columns), max(1, rows))
  }
}

/// The view of a ``Screen``.
package struct ScreenView: Sendable {
  /// As wide as the terminal.
  package var picture: Canvas
  package var cursor: Cursor?
  /// The title of the terminal's window, safe to show; `nil` leaves it unchanged.
  package var title: String?
  /// What the program is doing; `nil` shows nothing.
  package var status: ProgramStatus?

  package init(
    _ picture: Canvas,
    cursor: Cursor? = nil,
    title: String? = nil,
    status: ProgramStatus? = nil
  ) {
    (self.picture, self.cursor, self.title, self.status) = (picture, cursor, title, status)
  }
}

/// Lines that are drawn into an area, and the cursor in them.
package struct ScreenBlock: Sendable {
  package var lines: [StyledText]
  package var cursor: Cursor?

  package init(lines: [StyledText], cursor: Cursor? = nil) {
    (self.lines, self.cursor) = (lines, cursor)
  }

  /// The block below other lines.
  package func below(_ above: [StyledText]) -> ScreenBlock {
    var block = ScreenBlock(lines: above + lines, cursor: cursor)
    block.cursor?.row += above.count
    return block
  }
}

extension Canvas {
  /// Draws a block into an area; returns its cursor on the canvas, `nil` if it is in no row of the
  /// area.
  package mutating func draw(_ block: ScreenBlock, in area: Rect) -> Cursor? {
    draw(block.lines, in: area)
    guard var cursor = block.cursor, (0..<area.rows).contains(cursor.row) else { return nil }
    cursor.row += area.row
    cursor.column = area.column + min(max(0, cursor.column), max(0, area.columns - 1))
    return cursor.row < height && cursor.column < width ? cursor : nil
  }
}

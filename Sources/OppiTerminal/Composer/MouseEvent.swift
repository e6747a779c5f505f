// SPDX-License-Identifier: MIT

/// What happened to the left button or the wheel of the mouse.
package struct MouseEvent: Sendable, Equatable {
  package enum Action: Sendable {
    case press
    case release
    case wheelUp
    case wheelDown
  }

  package var action: Action
  /// From 0, as the column.
  package var row: Int
  package var column: Int
  package var isShifted = false
  /// Whether a press is the second one of a double click; the decoder of keys has no clock, so that
  /// a ``ClickCounter`` decides it.
  package var isDouble = false

  package init(
    _ action: Action,
    row: Int,
    column: Int,
    isShifted: Bool = false,
    isDouble: Bool = false
  ) {
    (self.action, self.row, self.column) = (action, row, column)
    (self.isShifted, self.isDouble) = (isShifted, isDouble)
  }

  /// More than any screen has.
  private static let sizeLimit = 10_000
  /// The bit of the Shift key in the first number; 8 is Meta, 16 is Ctrl, 32 is a motion.
  private static let shift = 4

  /// Reads a report of the SGR encoding (private mode 1006 of xterm): button, column and row, both
  /// from 1.
  ///
  /// `nil` for other buttons, for motions, and with other modifiers, which mean something else.
  init?(_ numbers: [Int], isRelease: Bool) {
    guard numbers.count == 3, numbers[1...].allSatisfy((1...Self.sizeLimit).contains) else {
      return nil
    }
    switch (numbers[0] & ~Self.shift, isRelease) {
    case (0, false): action = .press
    case (0, true): action = .release
    case (64, false): action = .wheelUp
    case (65, false): action = .wheelDown
    default: return nil
    }
    (column, row) = (numbers[1] - 1, numbers[2] - 1)
    isShifted = numbers[0] & Self.shift != 0
  }
}

/// Recognizes double clicks: two presses in one cell, shortly after each other.
package struct ClickCounter: Sendable {
  private static let limit = Duration.milliseconds(400)

  /// The press that another one makes a double click.
  private var first: (event: MouseEvent, moment: Duration)?

  package init() {}

  /// The event with its mark of a double click; `moment` is the time since a fixed moment.
  package mutating func mark(_ event: MouseEvent, at moment: Duration) -> MouseEvent {
    guard event.action == .press else { return event }
    var event = event
    if let first, first.event.row == event.row, first.event.column == event.column {
      event.isDouble = moment - first.moment <= Self.limit
    }
    first = event.isDouble ? nil : (event, moment)
    return event
  }
}

// SPDX-License-Identifier: MIT

/// The program as other programs are to call it.
package struct SetupProgram: Sendable, Equatable {
  /// What it is called on the command line.
  package let name: String
  /// Its file, an absolute path of one line.
  package let path: String

  package init(name: String, path: String) {
    (self.name, self.path) = (name, path)
  }
}

// MARK: - The names of its files

extension SetupProgram {
  package var linkHandler: String { "\(name)-link.desktop" }
  package var watchUnit: String { "\(name)-watch.service" }
  package var outboxService: String { "\(name)-outbox.service" }
  package var outboxTimer: String { "\(name)-outbox.timer" }

  /// A unit that a user enables, with the target that then wants it.
  package typealias Unit = (name: String, target: String)

  /// The units to be enabled; the first one does what the others do, too.
  package var enabledUnits: [Unit] {
    [(watchUnit, "default.target"), (outboxTimer, "timers.target")]
  }
}

// SPDX-License-Identifier: MIT

/// The program as other programs start it.
package struct SetupProgram: Sendable, Equatable {
  /// Its name on the command line.
  package let name: String
  /// Its file, an absolute path in one line.
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

  /// A unit that a user enables, with the target that wants it.
  package typealias Unit = (name: String, target: String)

  /// The units that a user can enable; the first one includes the function of the others.
  package var enabledUnits: [Unit] {
    [(watchUnit, "default.target"), (outboxTimer, "timers.target")]
  }
}

// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiSystem
import Synchronization

/// A desktop that shows notifications and can press their buttons.
package final class VirtualDesktop: DesktopNotifier {
  struct Access: DesktopAccess {
    let desktop: VirtualDesktop?
    let programs: VirtualPrograms

    var hasSessionBus: Bool { desktop != nil }
    var ofLogin: any DesktopAccess { self }

    func notifier(
      command: [String]?,
      on loop: EventLoop
    ) async throws(DesktopError) -> any DesktopNotifier {
      guard let desktop, desktop.isRunning else {
        guard let command, !command.isEmpty else { throw desktop == nil ? .noBus : .noDaemon }
        return NotificationProgram(.json, command, from: programs, on: loop)
      }
      do {
        try await loop.sleep(for: desktop.connectTime)
      } catch {
        throw .cancelled
      }
      return desktop
    }
  }

  private struct State {
    var shown: [DesktopNotification] = []
    var history: [DesktopNotification] = []
    var events: [DesktopEvent] = []
    var waiting: EventLoop.Wakeup?
    var isRunning: Bool
  }

  private let state: Mutex<State>
  private let loop: EventLoop
  private let connectTime: Duration

  /// Creates a desktop that takes `connectTime` to connect a program, and may start later.
  package init(on loop: EventLoop, connectTime: Duration = .zero, isRunning: Bool = true) {
    state = Mutex(State(isRunning: isRunning))
    self.loop = loop
    self.connectTime = connectTime
  }

  private var isRunning: Bool { state.withLock(\.isRunning) }

  /// Starts the notification daemon.
  package func start() { state.withLock { $0.isRunning = true } }

  /// The visible notifications, in order of arrival.
  package var shown: [DesktopNotification] { state.withLock(\.shown) }

  /// All notifications that were ever shown, replacements included.
  package var history: [DesktopNotification] { state.withLock(\.history) }

  /// Presses the button with a label, which removes the notification; returns false if there is no
  /// such button.
  package func press(_ label: String, on notification: DesktopNotification) -> Bool {
    guard let action = notification.actions.first(where: { $0.label == label }) else {
      return false
    }
    receive(.action(tag: notification.tag, key: action.key))
    return true
  }

  /// Restarts the notification daemon.
  package func restart() {
    state.withLock { $0.shown = [] }
    receive(.daemonBack)
  }

  private func receive(_ event: DesktopEvent) {
    let waiting = state.withLock { state in
      state.events.append(event)
      if case .action(let tag, _) = event { state.shown.removeAll { $0.tag == tag } }
      return state.waiting
    }
    waiting?.fire()
  }

  // MARK: - For programs

  package var offersActions: Bool { true }

  package func show(_ notification: DesktopNotification) async throws(DesktopError) {
    state.withLock { state in
      state.history.append(notification)
      if let index = state.shown.firstIndex(where: { $0.tag == notification.tag }) {
        state.shown[index] = notification
      } else {
        state.shown.append(notification)
      }
    }
  }

  package func withdraw(_ tag: String) async throws(DesktopError) {
    state.withLock { $0.shown.removeAll { $0.tag == tag } }
  }

  package func next() async throws(DesktopError) -> DesktopEvent {
    while true {
      if let event = state.withLock({ $0.events.isEmpty ? nil : $0.events.removeFirst() }) {
        return event
      }
      do {
        try await loop.wait(until: nil) { wakeup in state.withLock { $0.waiting = wakeup } }
      } catch {
        throw .cancelled
      }
    }
  }
}

// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiSystem
import Synchronization

/// A desktop that shows notifications and lets them be pressed.
package final class VirtualDesktop: DesktopNotifier {
  /// The way of a program to it.
  struct Access: DesktopAccess {
    let desktop: VirtualDesktop?
    let programs: VirtualPrograms

    var hasSessionBus: Bool { desktop != nil }
    var ofLogin: any DesktopAccess { self }

    func notifier(
      command: [String]?,
      on loop: EventLoop
    ) async throws(DesktopError) -> any DesktopNotifier {
      guard let desktop else {
        guard let command, !command.isEmpty else { throw .noBus }
        return NotificationProgram.command(command, from: programs, on: loop)
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
  }

  private let state = Mutex(State())
  private let loop: EventLoop
  private let connectTime: Duration

  /// - Parameters:
  ///   - loop: Its time.
  ///   - connectTime: How long a program needs to connect to it.
  package init(on loop: EventLoop, connectTime: Duration = .zero) {
    self.loop = loop
    self.connectTime = connectTime
  }

  /// What is seen now, in the order in which it came.
  package var shown: [DesktopNotification] { state.withLock(\.shown) }

  /// All that ever came.
  package var history: [DesktopNotification] { state.withLock(\.history) }

  /// Presses a button of a notification, by its label, which takes the notification away; false where
  /// there is none.
  package func press(_ label: String, on notification: DesktopNotification) -> Bool {
    guard let action = notification.actions.first(where: { $0.label == label }) else {
      return false
    }
    hear(.action(tag: notification.tag, key: action.key))
    return true
  }

  /// Ends the program that shows notifications, and starts another.
  package func restart() {
    state.withLock { $0.shown = [] }
    hear(.daemonGone)
    hear(.daemonBack)
  }

  private func hear(_ event: DesktopEvent) {
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

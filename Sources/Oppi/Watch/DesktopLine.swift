// SPDX-License-Identifier: MIT

import OppiSystem

/// Sends notifications to a desktop in order; a slow desktop delays nothing else.
struct DesktopLine {
  enum Order: Sendable {
    case show(DesktopNotification)
    case withdraw(String)
  }

  let notifier: any DesktopNotifier
  private let orders: AsyncStream<Order>.Continuation

  /// Starts tasks in `group` that send the notifications and report the desktop's events through
  /// `tell`.
  init(
    to notifier: any DesktopNotifier,
    in group: inout WatchRoom.Jobs,
    _ tell: @escaping @Sendable (WatchRoom.Event) -> Void
  ) {
    let (stream, continuation) = AsyncStream.makeStream(of: Order.self)
    (self.notifier, orders) = (notifier, continuation)
    group.addTask {
      for await order in stream {
        do throws(DesktopError) {
          switch order {
          case .show(let notification): try await notifier.show(notification)
          case .withdraw(let tag): try await notifier.withdraw(tag)
          }
        } catch {
          if error != .cancelled { tell(.desktopTrouble(error)) }
        }
      }
    }
    group.addTask {
      do throws(DesktopError) {
        while true { tell(.desktop(try await notifier.next())) }
      } catch {
        continuation.finish()
        tell(.desktopLost(error))
      }
    }
  }

  func order(_ order: Order) { orders.yield(order) }
}

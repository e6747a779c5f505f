// SPDX-License-Identifier: MIT

import EventLoop
import TestSupport

@testable import OppiSystem

/// A private bus, a fake daemon that replies, and the client under test.
struct DesktopSession: Sendable {
  let bus: PrivateBus
  let fake: FakeNotificationDaemon
  let desktop: NotificationDaemon
  let loop: EventLoop

  /// Runs a body with a new session.
  static func run<Result: Sendable>(
    capabilities: [String] = FakeNotificationDaemon.allCapabilities,
    _ body: @escaping @Sendable (DesktopSession) async throws -> Result
  ) throws -> Result {
    let bus = try PrivateBus()
    return try onLoop { loop in
      let fake = try await FakeNotificationDaemon(
        at: bus.address,
        capabilities: capabilities,
        on: loop
      )
      return try await serving(fake) {
        let desktop = try await NotificationDaemon(at: bus.address, on: loop)
        let session = DesktopSession(bus: bus, fake: fake, desktop: desktop, loop: loop)
        return try await body(session)
      }
    }
  }

  /// Runs a body while a fake daemon replies.
  static func serving<Result: Sendable>(
    _ fake: FakeNotificationDaemon,
    _ body: () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await fake.serve() }
      defer { group.cancelAll() }
      return try await body()
    }
  }
}

extension DesktopError {
  /// The error of a body, or `nil`.
  static func thrown<Result>(
    by body: () async throws(DesktopError) -> Result
  ) async -> DesktopError? {
    do throws(DesktopError) {
      _ = try await body()
      return nil
    } catch {
      return error
    }
  }

  /// The error of a cancelled body, or `nil`.
  static func thrown<Result>(
    byCancelled body: @escaping @Sendable () async throws(DesktopError) -> Result
  ) async -> DesktopError? {
    await withTaskGroup(of: DesktopError?.self) { group in
      group.addTask { await thrown(by: body) }
      group.cancelAll()
      return await group.next() ?? nil
    }
  }
}

extension DesktopNotification {
  /// A notification with two buttons.
  static let request: DesktopNotification = {
    var notification = DesktopNotification(tag: "request-1", summary: "Permission: bash")
    notification.body = "rm -rf build"
    notification.actions = [
      Action(key: "approve", label: "Approve"), Action(key: "deny", label: "Deny"),
    ]
    notification.withoutActions = "answer with: oppi approve"
    notification.urgency = .critical
    notification.category = "x-oppi.approval"
    notification.expiry = .zero
    return notification
  }()
}

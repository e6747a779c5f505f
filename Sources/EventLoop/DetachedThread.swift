// SPDX-License-Identifier: MIT

import Glibc

/// A detached thread, for a blocking call or a separate loop.
package enum DetachedThread {
  /// Runs `body` on a new thread and retains it until it returns.
  package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Body(body))
    let status = pthread_create(&thread, nil, main, context.toOpaque())
    guard status == 0 else {
      context.release()
      throw SystemError("pthread_create", code: status)
    }
    pthread_detach(thread)
  }

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    context in
    guard let context else { return nil }
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

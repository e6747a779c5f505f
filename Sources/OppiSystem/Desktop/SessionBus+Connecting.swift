// SPDX-License-Identifier: MIT

package import EventLoop

extension SessionBus {
  /// Larger than any message about notifications; a longer message ends the connection.
  private static let messageSizeLimit = 1 << 20

  /// Connects to the bus.
  ///
  /// Loading the library and registering with the bus block, so both run on a separate thread. An
  /// abandoned attempt ends there within the 25 s that libdbus waits for an answer.
  ///
  /// - Parameters:
  ///   - address: The address of the bus.
  ///   - names: File names of libdbus.
  ///   - loop: The event loop.
  ///   - deadline: When to give up.
  ///   - receive: Called with the messages that answer no call.
  /// - Returns: The connection, registered with the bus.
  /// - Throws: `.noLibrary`, `.cannotConnect`, `.timedOut` or `.cancelled`.
  package static func connect(
    to address: SessionBusAddress,
    libraryNames names: [String]? = nil,
    on loop: EventLoop,
    until deadline: EventLoop.Instant,
    _ receive: @escaping Receiver
  ) async throws(DesktopError) -> SessionBus {
    let result: Result<SessionBus, DesktopError>
    do {
      result = try await loop.offload(until: deadline) {
        Result { () throws(DesktopError) in
          let library = try LibDBus(named: names ?? LibDBus.names)
          return try SessionBus(connecting: library, to: address, on: loop, receive)
        }
      }
    } catch {
      throw DesktopError(error)
    }
    return try result.get()
  }

  private convenience init(
    connecting library: LibDBus,
    to address: SessionBusAddress,
    on loop: EventLoop,
    _ receive: @escaping Receiver
  ) throws(DesktopError) {
    var connection: OpaquePointer?
    var reason = ""
    // A `DBusError`: two strings, flags and a pointer, 32 bytes on 64-bit machines.
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { place in
      library.initError(place.baseAddress)
      defer { library.freeError(place.baseAddress) }
      connection = address.text.withCString { library.open($0, place.baseAddress) }
      if let opened = connection, library.register(opened, place.baseAddress) == 0 {
        library.close(opened)
        library.freeConnection(opened)
        connection = nil
      }
      let texts = place.bindMemory(to: UnsafePointer<CChar>?.self)
      reason = texts[1].map { String(cString: $0) } ?? ""
    }
    var descriptor: Int32 = -1
    guard let connection, library.descriptor(connection, &descriptor) != 0 else {
      throw .cannotConnect(reason: reason)
    }
    library.setSizeLimit(connection, Self.messageSizeLimit)
    self.init(connection, descriptor: descriptor, of: library, on: loop, receive)
  }
}

/* A disk that forgets, fails and kills: preloaded into a process, between it and its C library.
 *
 * FAULTS_ROOT, FAULTS_JOURNAL: every change of a file below ROOT is added to JOURNAL, in order, with each sync;
 *   from that, power_cut.py makes what a disk may hold when its power fails at any moment.
 * FAULTS_CONTROL: a file of struct control, shared: changes below ROOT fail by its word.
 * faults_arm(n, how): this process dies by SIGKILL at its n-th change or message, before, after or half way.
 *
 * A write is in the journal before it returns, a sync when it begins and when it has ended: what a sync is said
 * to have saved was written before it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum op { WRITE = 1, ZEROS, RESIZE, SYNC_BEGINS, SYNC_ENDS, CREATE, RENAME, UNLINK, MKDIR, LINK };

struct header {
    uint32_t magic, op;
    uint64_t inode, offset, length;
    uint32_t path, other; /* lengths of the names that follow */
};

struct control {
    _Atomic int64_t left; /* changes until they fail; below 0: never */
    _Atomic int64_t failing; /* so many fail */
    int32_t error;
};

static char root[PATH_MAX];
static size_t root_length;
static int journal = -1;
static struct control *control;
static _Atomic int64_t left = INT64_MAX;
static int how;

__attribute__((constructor)) static void begin(void) {
    const char *said = getenv("FAULTS_ROOT"), *name = getenv("FAULTS_JOURNAL"), *by = getenv("FAULTS_CONTROL");
    if (!said) return;
    strncpy(root, said, sizeof root - 1);
    root_length = strlen(root);
    if (name) {
        int fd = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        journal = fcntl(fd, F_DUPFD_CLOEXEC, 900); /* programs close low ones */
        syscall(SYS_close, fd);
    }
    if (by) {
        int fd = syscall(SYS_openat, AT_FDCWD, by, O_RDWR | O_CLOEXEC, 0);
        void *at = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at != MAP_FAILED) control = at;
        syscall(SYS_close, fd);
    }
}

void faults_arm(int64_t calls, int when) { how = when; left = calls; }

/* Before a call: 1 where only half of it is to be done, and then death. */
static int step(void) {
    int64_t now = atomic_fetch_sub(&left, 1);
    if (now == 1 && how == 0) kill(getpid(), SIGKILL);
    return now == 1 ? how : 0;
}

static void done(int dying) {
    if (dying) kill(getpid(), SIGKILL);
}

static int fails(void) {
    if (!control) return 0;
    if (atomic_load(&control->left) < 0) return 0;
    if (atomic_fetch_sub(&control->left, 1) > 0) return 0;
    atomic_store(&control->left, 0);
    if (atomic_fetch_sub(&control->failing, 1) <= 0) {
        atomic_store(&control->left, -1);
        return 0;
    }
    errno = control->error;
    return 1;
}

static int below(const char *path) { return root_length && !strncmp(path, root, root_length); }

/* Whether a regular file or folder below the root; its number, and what it is called. */
static int watched(int fd, uint64_t *inode, char *path) {
    struct stat found;
    char name[64];
    if (!root_length || fd < 0) return 0;
    if (fstat(fd, &found) || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) return 0;
    strcpy(name, "/proc/self/fd/");
    char digits[12];
    int count = 0, number = fd;
    do digits[count++] = '0' + number % 10; while (number /= 10);
    size_t end = strlen(name);
    while (count) name[end++] = digits[--count];
    name[end] = 0;
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, name, path, (size_t)PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    *inode = found.st_ino;
    return below(path);
}

static void absolute(int folder, const char *path, char *full) {
    if (*path == '/') { strncpy(full, path, PATH_MAX - 1); full[PATH_MAX - 1] = 0; return; }
    char base[PATH_MAX] = "";
    if (folder == AT_FDCWD) { if (!getcwd(base, sizeof base)) base[0] = 0; }
    else { uint64_t inode; if (!watched(folder, &inode, base)) base[0] = 0; }
    full[0] = 0;
    if (strlen(base) + strlen(path) + 2 < PATH_MAX) { strcpy(full, base); strcat(full, "/"); strcat(full, path); }
}

static void tell(enum op op, uint64_t inode, uint64_t offset, uint64_t length, const char *path, const char *other,
                 const struct iovec *data, int parts, uint64_t data_length) {
    if (journal < 0) return;
    int before = errno;
    struct header head = {0x46415553, op, inode, offset, length, path ? strlen(path) : 0, other ? strlen(other) : 0};
    size_t size = sizeof head + head.path + head.other + data_length;
    char small[4096], *all = size <= sizeof small ? small : malloc(size), *at = all; /* one write: whole among others' */
    memcpy(at, &head, sizeof head), at += sizeof head;
    if (path) memcpy(at, path, head.path), at += head.path;
    if (other) memcpy(at, other, head.other), at += head.other;
    for (int part = 0; part < parts && data_length; part++) {
        size_t some = data[part].iov_len < data_length ? data[part].iov_len : data_length;
        memcpy(at, data[part].iov_base, some), at += some, data_length -= some;
    }
    syscall(SYS_write, journal, all, size);
    if (all != small) free(all);
    errno = before;
}

static int is_zero(const struct iovec *data, int parts) {
    for (int part = 0; part < parts; part++) {
        const char *bytes = data[part].iov_base;
        size_t length = data[part].iov_len;
        if (length && (bytes[0] || memcmp(bytes, bytes + 1, length - 1))) return 0;
    }
    return 1;
}

static ssize_t put(int fd, const struct iovec *data, int parts, off_t offset) {
    char path[PATH_MAX];
    uint64_t inode;
    int ours = watched(fd, &inode, path), dying = step();
    if (ours && fails()) return -1;
    struct iovec half;
    if (dying == 2 && parts) { half = data[0]; half.iov_len /= 2; data = &half; parts = 1; }
    int appends = offset < 0 && ours && (fcntl(fd, F_GETFL) & O_APPEND);
    off_t at = offset >= 0 ? offset : ours && !appends ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t count = offset < 0 ? syscall(SYS_writev, fd, data, parts) : syscall(SYS_pwritev, fd, data, parts, offset, 0);
    if (appends && count >= 0) at = lseek(fd, 0, SEEK_CUR) - count;
    if (ours && count > 0) {
        if (count >= 4096 && is_zero(data, parts)) tell(ZEROS, inode, at, count, path, NULL, NULL, 0, 0);
        else tell(WRITE, inode, at, count, path, NULL, data, parts, count);
    }
    done(dying);
    return count;
}

ssize_t write(int fd, const void *data, size_t size) { struct iovec one = {(void *)data, size}; return put(fd, &one, 1, -1); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { struct iovec one = {(void *)data, size}; return put(fd, &one, 1, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) { return pwrite(fd, data, size, at); }
ssize_t writev(int fd, const struct iovec *data, int parts) { return put(fd, data, parts, -1); }
ssize_t pwritev(int fd, const struct iovec *data, int parts, off_t at) { return put(fd, data, parts, at); }
ssize_t pwritev64(int fd, const struct iovec *data, int parts, off_t at) { return put(fd, data, parts, at); }

static int saved(int fd, long call) {
    char path[PATH_MAX];
    uint64_t inode;
    int ours = watched(fd, &inode, path), dying = step();
    if (ours && fails()) return -1;
    if (ours) tell(SYNC_BEGINS, inode, 0, 0, path, NULL, NULL, 0, 0);
    int result = journal < 0 ? syscall(call, fd) : 0; /* the journal's disk never fails: no need to wait for it */
    if (ours && !result) tell(SYNC_ENDS, inode, 0, 0, path, NULL, NULL, 0, 0);
    done(dying);
    return result;
}

int fsync(int fd) { return saved(fd, SYS_fsync); }
int fdatasync(int fd) { return saved(fd, SYS_fdatasync); }

int ftruncate(int fd, off_t size) {
    char path[PATH_MAX];
    uint64_t inode;
    int ours = watched(fd, &inode, path), dying = step();
    if (ours && fails()) return -1;
    int result = syscall(SYS_ftruncate, fd, size);
    if (ours && !result) tell(RESIZE, inode, size, 0, path, NULL, NULL, 0, 0);
    done(dying);
    return result;
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }

int posix_fallocate(int fd, off_t at, off_t size) {
    char path[PATH_MAX];
    uint64_t inode;
    struct stat before;
    int ours = watched(fd, &inode, path);
    if (ours && fails()) return errno;
    int result = fstat(fd, &before) ? errno : syscall(SYS_fallocate, fd, 0, at, size) ? errno : 0;
    if (ours && !result && at + size > before.st_size) tell(RESIZE, inode, at + size, 0, path, NULL, NULL, 0, 0);
    return result;
}
int posix_fallocate64(int fd, off_t at, off_t size) { return posix_fallocate(fd, at, size); }

static int opened(int folder, const char *path, int flags, mode_t mode) {
    char full[PATH_MAX];
    struct stat found;
    absolute(folder, path, full);
    int ours = below(full) && (flags & (O_CREAT | O_TRUNC)), there = ours && !stat(full, &found);
    if (ours && (flags & O_CREAT) && !there && fails()) return -1;
    int fd = syscall(SYS_openat, folder, path, flags, mode);
    if (ours && fd >= 0 && !fstat(fd, &found)) {
        if (!there) tell(CREATE, found.st_ino, 0, 0, full, NULL, NULL, 0, 0);
        else if (flags & O_TRUNC) tell(RESIZE, found.st_ino, 0, 0, full, NULL, NULL, 0, 0);
    }
    return fd;
}

#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }
int open(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE return opened(folder, path, flags, mode); }

static int named(enum op op, const char *path, const char *other, int result) {
    char one[PATH_MAX], two[PATH_MAX] = "";
    if (result) return result;
    absolute(AT_FDCWD, path, one);
    if (other) absolute(AT_FDCWD, other, two);
    if (below(one) || below(two)) tell(op, 0, 0, 0, one, other ? two : NULL, NULL, 0, 0);
    return result;
}

int rename(const char *from, const char *to) { int dying = step(); int result = named(RENAME, from, to, syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)); done(dying); return result; }
int unlink(const char *path) { int dying = step(); int result = named(UNLINK, path, NULL, syscall(SYS_unlinkat, AT_FDCWD, path, 0)); done(dying); return result; }
int rmdir(const char *path) { return named(UNLINK, path, NULL, syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR)); }
int mkdir(const char *path, mode_t mode) { return named(MKDIR, path, NULL, syscall(SYS_mkdirat, AT_FDCWD, path, mode)); }
int link(const char *from, const char *to) { return named(LINK, from, to, syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0)); }

/* --- Messages: only to die at one ------------------------------------------------------------------------- */

ssize_t send(int fd, const void *data, size_t size, int flags) {
    int dying = step();
    ssize_t count = syscall(SYS_sendto, fd, data, dying == 2 ? size / 2 : size, flags, NULL, 0);
    done(dying);
    return count;
}
ssize_t recv(int fd, void *data, size_t size, int flags) {
    int dying = step();
    ssize_t count = syscall(SYS_recvfrom, fd, data, size, flags, NULL, NULL);
    done(dying);
    return count;
}

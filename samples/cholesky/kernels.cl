/* samples/cholesky/kernels.cl - the OpenCL side of the four codelets: a product and two panels, column-major. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Every kernel takes tiles as (buffer, first element, leading dimension). The host composes the codelets of them:
 * gemm and syrk are one product; trsm and potrf go panel by panel, PANEL columns wide, and update what is right of
 * the panel with the product. PANEL comes from the host.
 */

/*
 * C -= A B^T, where C is m x n and A, B have k columns; only C's lower triangle where `lower`. Blocked by registers:
 * an item holds 8 x 8 of C in eight vectors. No barrier, so that a CPU device keeps them in registers.
 */
__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void product_registers(int m, int n, int k, __global const float *a, int a0, int lda, __global const float *b, int b0,
                       int ldb, __global float *c, int c0, int ldc, int lower)
{
	int row = get_global_id(0) * 8, column = get_global_id(1) * 8;

	if (row >= m || column >= n || (lower && row + 7 < column))
		return;
	a += a0 + row;
	b += b0 + column;
	c += c0 + row + column * ldc;
	if (row + 8 <= m && column + 8 <= n && !(lower && row < column + 7)) {
		float8 s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
		for (int p = 0; p < k; p++) {
			float8 x = vload8(0, a + p * lda);
			float8 y = vload8(0, b + p * ldb);
			s0 += x * y.s0;
			s1 += x * y.s1;
			s2 += x * y.s2;
			s3 += x * y.s3;
			s4 += x * y.s4;
			s5 += x * y.s5;
			s6 += x * y.s6;
			s7 += x * y.s7;
		}
		vstore8(vload8(0, c) - s0, 0, c);
		vstore8(vload8(0, c + ldc) - s1, 0, c + ldc);
		vstore8(vload8(0, c + 2 * ldc) - s2, 0, c + 2 * ldc);
		vstore8(vload8(0, c + 3 * ldc) - s3, 0, c + 3 * ldc);
		vstore8(vload8(0, c + 4 * ldc) - s4, 0, c + 4 * ldc);
		vstore8(vload8(0, c + 5 * ldc) - s5, 0, c + 5 * ldc);
		vstore8(vload8(0, c + 6 * ldc) - s6, 0, c + 6 * ldc);
		vstore8(vload8(0, c + 7 * ldc) - s7, 0, c + 7 * ldc);
		return;
	}
	for (int j = 0; j < 8 && column + j < n; j++) {
		for (int i = 0; i < 8 && row + i < m; i++) {
			float sum = 0;
			if (lower && row + i < column + j)
				continue;
			for (int p = 0; p < k; p++)
				sum += a[i + p * lda] * b[j + p * ldb];
			c[i + j * ldc] -= sum;
		}
	}
}

/*
 * The same product blocked through local memory, for devices that have one: a group of 16 x 16 items owns 64 x 64 of
 * C and walks k by 16; an item owns 4 x 4, strided by 16 so that neighbours touch neighbouring words.
 */
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void product_local(int m, int n, int k, __global const float *a, int a0, int lda, __global const float *b, int b0,
                   int ldb, __global float *c, int c0, int ldc, int lower)
{
	__local float left[16][64], right[16][64];
	int row = get_group_id(0) * 64, column = get_group_id(1) * 64;
	int x = get_local_id(0), y = get_local_id(1);
	float sum[4][4];

	if (lower && row + 63 < column)
		return;
	for (int j = 0; j < 4; j++)
		for (int i = 0; i < 4; i++)
			sum[j][i] = 0;
	for (int p = 0; p < k; p += 16) {
		for (int i = 0; i < 4; i++) {
			int r = x + 16 * i;
			left[y][r] = row + r < m && p + y < k ? a[a0 + row + r + (p + y) * lda] : 0;
			right[y][r] = column + r < n && p + y < k ? b[b0 + column + r + (p + y) * ldb] : 0;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int q = 0; q < 16; q++)
			for (int j = 0; j < 4; j++)
				for (int i = 0; i < 4; i++)
					sum[j][i] += left[q][x + 16 * i] * right[q][y + 16 * j];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (int j = 0; j < 4; j++) {
		for (int i = 0; i < 4; i++) {
			int r = row + x + 16 * i, s = column + y + 16 * j;
			if (r < m && s < n && !(lower && r < s))
				c[c0 + r + s * ldc] -= sum[j][i];
		}
	}
}

/* X L^T = B in place of B, m x n with n <= PANEL: a row of B per item, L in local memory. */
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void trsm_panel(int m, int n, __global const float *l, int l0, int ldl, __global float *b, int b0, int ldb)
{
	__local float factor[PANEL * PANEL];
	int row = get_global_id(0);
	float x[PANEL];

	for (int e = get_local_id(0); e < PANEL * PANEL; e += 64) {
		int i = e % PANEL, j = e / PANEL;
		factor[e] = i < n && j < n ? l[l0 + i + j * ldl] : i == j;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (row >= m)
		return;
	for (int j = 0; j < PANEL; j++)
		x[j] = j < n ? b[b0 + row + j * ldb] : 0;
	for (int j = 0; j < PANEL; j++) {
		x[j] /= factor[j + j * PANEL];
		for (int i = j + 1; i < PANEL; i++)
			x[i] -= x[j] * factor[i + j * PANEL];
	}
	for (int j = 0; j < n; j++)
		b[b0 + row + j * ldb] = x[j];
}

/* The factor of one n x n diagonal block, n <= PANEL, in place: one group, a row per item. */
__kernel __attribute__((reqd_work_group_size(PANEL, 1, 1)))
void potrf_panel(int n, __global float *a, int a0, int lda)
{
	__local float block[PANEL][PANEL + 1];
	int i = get_local_id(0);

	for (int j = 0; j < PANEL; j++)
		block[j][i] = i < n && j <= i ? a[a0 + i + j * lda] : i == j;
	for (int j = 0; j < PANEL; j++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i == j)
			block[j][j] = sqrt(block[j][j]);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i > j)
			block[j][i] /= block[j][j];
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i > j)
			for (int p = j + 1; p <= i; p++)
				block[p][i] -= block[j][i] * block[j][p];
	}
	if (i < n)
		for (int j = 0; j <= i; j++)
			a[a0 + i + j * lda] = block[j][i];
}
